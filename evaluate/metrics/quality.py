"""How near is a translation to its reference? chrF++ and TER as sums over sentences (the door to sacrebleu).

sacrebleu counts; the scores are made here from the sums, so that thousands of shuffled corpora cost a few matrix
products. They equal sacrebleu's own. Settings are sacrebleu's defaults, with word order 2 for chrF++ (Popović 2017;
Snover et al. 2006; Post 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..statistics import Array

_ORDERS = 8  # n-grams of one to six characters, and of one and two words
_BETA2 = 4.0  # recall counts twice


def chrf(*counts: Any) -> Any:
    """chrF++, 0 to 100, from summed n-grams: of each order those of the translation, of the reference, and of both.

    An order that either lacks is left out, as sacrebleu has it.
    """
    precision: Any = 0.0
    recall: Any = 0.0
    orders: Any = 0.0
    for said, told, both in zip(counts[0::3], counts[1::3], counts[2::3], strict=True):
        there = (said > 0.5) & (told > 0.5)
        precision = precision + np.where(there, both / np.where(there, said, 1), 0)
        recall = recall + np.where(there, both / np.where(there, told, 1), 0)
        orders = orders + there
    some = np.where(orders > 0, orders, 1)
    precision, recall = precision / some, recall / some
    good = precision + recall > 0
    below = np.where(good, _BETA2 * precision + recall, 1)
    return 100 * np.where(good, (1 + _BETA2) * precision * recall / below, 0)


def ter(edits: Any, words: Any) -> Any:
    """TER in per cent, 0 = the reference itself, without upper bound, from summed edits and words of references."""
    return 100 * (edits / words)


class Score(NamedTuple):
    """A score as a formula over `width` sums; `better` is 1 where more is better, -1 where less is."""

    name: str
    formula: Callable[..., Any]
    width: int
    better: int
    high: float


SCORES = {
    "chrf": Score("chrF++", chrf, 3 * _ORDERS, 1, 100.0),
    "ter": Score("TER", ter, 2, -1, float("inf")),
}


def statistics(translations: Sequence[str], references: Sequence[str]) -> dict[str, Array]:
    """What each sentence adds to the sums of each score, (sentences, width). ImportError without sacrebleu.

    Sentences that occur more than once are counted once and repeated.
    """
    distinct = list(dict.fromkeys(zip(translations, references, strict=True)))
    place = {pair: i for i, pair in enumerate(distinct)}
    order = [place[pair] for pair in zip(translations, references, strict=True)]
    found = {}
    for key, metric in _metrics().items():
        # what sacrebleu's own tests of significance call
        rows = metric._extract_corpus_statistics([said for said, _ in distinct], [[told for _, told in distinct]])
        found[key] = np.array(rows, dtype=np.float64).reshape(len(distinct), SCORES[key].width)[order]
    return found


def signatures() -> dict[str, str]:
    """sacrebleu's signatures of both scores with one reference; empty without sacrebleu."""
    try:
        metrics = _metrics()
    except ImportError:
        return {}
    for metric in metrics.values():
        metric.num_refs = 1
    return {SCORES[key].name: str(metric.get_signature()) for key, metric in metrics.items()}


def _metrics() -> dict[str, Any]:
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    return {"chrf": CHRF(word_order=2), "ter": TER()}
