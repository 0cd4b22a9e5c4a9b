"""Intervals, tests and corrections (pure: numbers in, numbers out; no frame, no file, no clock).

The interval of a figure is a *studentised cluster bootstrap* (Efron & Tibshirani 1993, ch. 12.5; Cameron,
Gelbach & Miller 2008): whole clusters are drawn again, and the distribution of (resample - estimate) /
(its own cluster-robust error) gives the bounds. docs/decisions/0006-studentised-intervals.md says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CELLS = 4_000_000  # resamples x clusters held at once: about 32 MB an array
_TINY = 1e-8  # an error or a gap this small, beside its value, is what rounding leaves


class Statistic(NamedTuple):
    """A value from some of the summed columns: `formula` takes their arrays in the order of `columns`.

    It must not change when all its sums are multiplied by one number (a ratio, a correlation).
    """

    formula: Callable[..., Array]
    columns: tuple[int, ...]

    def __call__(self, sums: Array) -> Array:
        """Values (...) from sums (..., k); NaN or infinite where a sum that divides is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.formula(*(sums[..., j] for j in self.columns))


class Interval(NamedTuple):
    """A confidence interval, in the unit of its figure."""

    low: float
    high: float


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Interval of a share, 0 to 1; None where n is 0. n may be an effective count. Wilson 1927."""
    if n <= 0:
        return None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(middle - half if share > 0 else 0.0, middle + half if share < 1 else 1.0)


def cluster_sums(columns: Array, codes: NDArray[np.int64]) -> Array:
    """Sum of each column (rows, k) within each cluster: (clusters, k). `codes` count from 0."""
    size = int(codes.max()) + 1 if len(codes) else 0
    sums = [np.bincount(codes, weights=column, minlength=size) for column in columns.T]
    return np.stack(sums, axis=1) if sums else np.empty((size, 0))


@dataclass(frozen=True)
class Bootstrapped:
    """One statistic under the cluster bootstrap: its value, its error, and the studentised resamples."""

    value: float
    error: float
    studentised: Array
    clusters: int

    @property
    def varies(self) -> bool:
        """Whether the value exists and its clusters differ."""
        return math.isfinite(self.value) and self.clusters > 1 and self.error > _tiny(self.value)

    def interval(self, bounds: tuple[float, float], level: float = 0.95) -> Interval | None:
        """The interval within `bounds`; None where fewer than two clusters differ."""
        if not self.varies or len(self.studentised) == 0:
            return None
        tail = (1 - level) / 2
        # "nearest" keeps infinities whole: where a resample has no error of its own, a bound is unknown
        first, last = np.quantile(self.studentised, [tail, 1 - tail], method="nearest")
        return Interval(
            max(bounds[0], self.value - float(last) * self.error),
            min(bounds[1], self.value - float(first) * self.error),
        )

    def p_value(self, null: float) -> float | None:
        """Two-sided p of value = null, never under 1 / (resamples + 1); None where there is no interval."""
        if not self.varies:
            return None
        seen = abs(self.value - null) / self.error
        extreme = int(np.count_nonzero(np.abs(self.studentised) >= seen))
        return (extreme + 1) / (len(self.studentised) + 1)


def cluster_bootstrap(
    sums: Array, statistics: Mapping[str, Statistic], *, seed: int, resamples: int
) -> dict[str, Bootstrapped]:
    """Each statistic over `resamples` draws of whole clusters; `sums` is (clusters, k), from cluster_sums.

    All statistics see the same draws. The order of the clusters is of no account.
    """
    clusters = len(sums)
    distinct, counts = np.unique(sums, axis=0, return_counts=True)
    total = sums.sum(axis=0)
    correction = math.sqrt(clusters / (clusters - 1)) if clusters > 1 else 0.0
    values = {name: float(statistic(total)) for name, statistic in statistics.items()}
    errors = {
        name: float(_errors(statistic, total[None], distinct, counts[None].astype(float))[0]) * correction
        for name, statistic in statistics.items()
    }
    parts: dict[str, list[Array]] = {name: [] for name in statistics}
    if clusters > 1:
        for weights in _draws(counts, seed=seed, resamples=resamples):
            drawn = weights @ distinct
            for name, statistic in statistics.items():
                error = _errors(statistic, drawn, distinct, weights) * correction
                tiny = _tiny(values[name])
                with np.errstate(divide="ignore", invalid="ignore"):
                    gap = statistic(drawn) - values[name]
                    ratio = np.where(error > tiny, gap / error, np.sign(gap) * np.inf)
                # no difference and no error: not a surprise of infinite size
                parts[name].append(np.where((error <= tiny) & (np.abs(gap) <= tiny), 0.0, ratio))
    return {
        name: Bootstrapped(values[name], errors[name], _finite_or_infinite(parts[name]), clusters)
        for name in statistics
    }


def share_interval(
    bootstrapped: Bootstrapped, sizes: Array, *, bounds: tuple[float, float] = (0.0, 1.0), level: float = 0.95
) -> Interval | None:
    """Interval of a share, spread over `bounds`, whose clusters hold `sizes` rows; None under two clusters.

    It is the bootstrap's, but never wider than Wilson's over as many rows as there are clusters of even size
    (Kish's (sum m)^2 / sum m^2): rows of one cluster can be no more alike than the same row. That is also the
    interval where clusters do not differ at all (no refusal in any), of which the bootstrap knows nothing.
    """
    if not math.isfinite(bootstrapped.value) or bootstrapped.clusters < 2:
        return None
    low, width = bounds[0], bounds[1] - bounds[0]
    effective = float(sizes.sum() ** 2 / (sizes @ sizes))
    share = (bootstrapped.value - low) / width
    inner = wilson(share * effective, effective, level) or Interval(0.0, 1.0)
    widest = Interval(low + width * inner.low, low + width * inner.high)
    return bootstrapped.interval(widest, level) or widest


def resampled_sums(sums: Array, *, seed: int, resamples: int) -> Array:
    """Total of `sums` (clusters, k) in each draw of whole clusters: (resamples, k)."""
    distinct, counts = np.unique(sums, axis=0, return_counts=True)
    return np.concatenate([w @ distinct for w in _draws(counts, seed=seed, resamples=resamples)])


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm-corrected p-values in the order given; a None stays None and counts for nothing. Holm 1979."""
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - rank)))
        corrected[i] = largest
    return corrected


def binomial_test(successes: int, n: int, p: float = 0.5) -> float:
    """Exact two-sided binomial p: all outcomes no likelier than the one seen. 1 where n is 0."""
    if n == 0:
        return 1.0
    k = np.arange(n + 1)
    steps = np.log((n - k[1:] + 1) / k[1:])
    log_p = np.concatenate([[0.0], np.cumsum(steps)]) + k * math.log(p) + (n - k) * math.log1p(-p)
    mass = np.exp(log_p)
    return float(min(1.0, mass[mass <= mass[successes] * (1 + 1e-7)].sum()))


def sign_test(wins: int, losses: int) -> float:
    """Exact two-sided sign test; ties are left out. Rows must be independent: else use the bootstrap."""
    return binomial_test(wins, wins + losses)


def student_p(t: float, freedom: int) -> float:
    """Two-sided p of Student's t with a whole number of degrees of freedom, to about 1e-15.

    Abramowitz & Stegun 1964, 26.7.3 and 26.7.4: a finite sum over the angle whose tangent is t / sqrt(freedom).
    """
    if freedom < 1:
        raise ValueError("no degrees of freedom")
    angle = math.atan2(abs(t), math.sqrt(freedom)) if math.isfinite(t) else math.pi / 2
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= (k - 1) / k * cosine * cosine
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return min(1.0, max(0.0, 1 - within))


def _draws(counts: NDArray[Any], *, seed: int, resamples: int) -> Any:
    """Weights (resamples, distinct clusters) of a bootstrap, in blocks. Equal clusters share one column."""
    rng = np.random.default_rng(seed)
    clusters, distinct = int(counts.sum()), len(counts)
    owner = np.repeat(np.arange(distinct), counts)
    few = distinct * 10 < clusters  # then one multinomial is cheaper than drawing every cluster
    block = max(1, _CELLS // (distinct if few else clusters))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if few:
            yield rng.multinomial(clusters, counts / clusters, size=size).astype(float)
        else:
            drawn = owner[rng.integers(0, clusters, (size, clusters))]
            flat = drawn + distinct * np.arange(size)[:, None]
            yield np.bincount(flat.ravel(), minlength=size * distinct).reshape(size, distinct).astype(float)


def _errors(statistic: Statistic, totals: Array, rows: Array, weights: Array) -> Array:
    """Cluster-robust standard error at each of `totals` (r, k), by linearisation. `weights` is (r, rows).

    A statistic of degree 0 has gradient . total = 0, so gradient . row is already centred.
    """
    taken = [totals[:, j] for j in statistic.columns]
    # under a half, so that no count of rows comes into being or is lost by the step
    step = np.minimum(0.01, 1e-5 * np.maximum(1.0, np.max(np.abs(taken), axis=0)))
    slopes = np.empty((len(totals), len(taken)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, sums in enumerate(taken):
            up = statistic.formula(*taken[:i], sums + step, *taken[i + 1 :])
            down = statistic.formula(*taken[:i], sums - step, *taken[i + 1 :])
            slopes[:, i] = (up - down) / (2 * step)
    slopes[~np.isfinite(slopes)] = 0  # the statistic itself does not exist there
    influence = slopes @ rows[:, statistic.columns].T
    np.square(influence, out=influence)
    influence *= weights
    errors: Array = np.sqrt(influence.sum(axis=-1))
    return errors


def _tiny(value: float) -> float:
    return _TINY * max(1.0, abs(value))


def _finite_or_infinite(parts: list[Array]) -> Array:
    """Without the resamples in which the statistic does not exist."""
    joined = np.concatenate(parts) if parts else np.empty(0)
    known: Array = joined[~np.isnan(joined)]
    return known
