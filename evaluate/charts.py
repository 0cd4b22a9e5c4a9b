"""Pictures as plain numbers and SVG: tracks with marks and intervals, the triangle, lines over temperatures (pure).

Colours are CSS classes c0, c1, ... of the page, so that light and dark are its matter; a mark's shape tells it
apart too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

SHAPES = ("circle", "square", "diamond", "up", "down", "hexagon")
COLOURS = 6


class Mark(NamedTuple):
    """A value with its interval (either bound may be None), a shape and a colour by number."""

    value: float
    low: float | None = None
    high: float | None = None
    shape: str = "circle"
    colour: int = 0
    name: str = ""


@dataclass(frozen=True)
class Scale:
    """From a value to per cent of a track's width, 0 to 100; what lies outside is put at its end."""

    low: float
    high: float
    neutral: float | None = None

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[float]:
        """Two to six round values from end to end."""
        step = _step(self.high - self.low)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(n * step, 10) for n in range(first, last + 1)]


def scale(marks: Sequence[Mark], low: float, high: float, neutral: float | None) -> Scale:
    """A scale that holds all marks and the neutral value, within a metric's range, at round ends."""
    values = [v for mark in marks for v in (mark.value, mark.low, mark.high) if v is not None]
    values += [neutral] if neutral is not None else []
    if not values:
        return Scale(low, high if math.isfinite(high) else low + 1, neutral)
    bottom, top = min(values), max(values)
    least = 0.04 * (high - low) if math.isfinite(high - low) else 0.04
    if top - bottom < least:  # what differs by nothing is not blown up
        bottom, top = (bottom + top - least) / 2, (bottom + top + least) / 2
    step = _step((top - bottom) * 1.05)
    bottom, top = step * math.floor(bottom / step + 1e-9), step * math.ceil(top / step - 1e-9)
    bottom, top = max(low, bottom), min(high, top)
    return Scale(bottom, top if top > bottom else bottom + step, neutral)


def _step(width: float) -> float:
    """A round step of which two to six make the width."""
    power = 10.0 ** math.floor(math.log10(width / 2))
    return next(power * factor for factor in (1, 2, 5, 10) if width / (power * factor) <= 5.0001)


# --- SVG --------------------------------------------------------------------------------------------------


def shape(name: str, x: float, y: float, size: float, colour: int) -> str:
    """A mark as SVG, centred at x, y; `size` is half its width."""
    css = f'class="c{colour % COLOURS} mark"'
    if name == "square":
        return f'<rect {css} x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:.1f}" height="{2 * size:.1f}"/>'
    corners: dict[str, list[tuple[float, float]]] = {
        "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        "up": [(0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        "down": [(0, 1.2), (1.15, -0.9), (-1.15, -0.9)],
        "hexagon": [(-0.6, -1), (0.6, -1), (1.2, 0), (0.6, 1), (-0.6, 1), (-1.2, 0)],
    }
    if points := corners.get(name):
        path = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in points)
        return f'<polygon {css} points="{path}"/>'
    return f'<circle {css} cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"/>'


_LABEL = 8.0  # half a numbered mark's width


class Point(NamedTuple):
    """In the triangle: accuracy against F(Target) - F(Other), each with its interval."""

    name: str
    difference: Mark
    accuracy: Mark


_WIDTH, _HEIGHT, _LEFT, _TOP = 300.0, 240.0, 34.0, 22.0


def triangle(points: Sequence[Point], title: str) -> str:
    """Accuracy against F(Target) - F(Other), numbered points; whatever the answers, they lie in the shaded part.

    Robles et al. 2025, figure 2: |F(Target) - F(Other)| is at most 1 - accuracy.
    """

    def at(difference: float, accuracy: float) -> tuple[float, float]:
        return _LEFT + _WIDTH * (difference + 1) / 2, _TOP + _HEIGHT * (1 - accuracy)

    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(-1, 0), at(1, 0), at(0, 1)))
    parts = [f'<polygon class="region" points="{corners}"/>']
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at(-1, tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {y:.1f}h{_WIDTH}"/>')
        parts.append(f'<text x="{x - 5:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for tick in (-1.0, -0.5, 0.0, 0.5, 1.0):
        x, y = at(tick, 0)
        parts.append(f'<path class="grid{" zero" if tick == 0 else ""}" d="M{x:.1f} {y:.1f}v{-_HEIGHT}"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle">{tick:g}</text>'.replace(">-", ">−"))
    x, y = at(0, 1)
    parts.append(f'<circle class="ideal" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    for point in points:
        x, y = at(point.difference.value, point.accuracy.value)
        css = f'class="c{point.difference.colour % COLOURS} whisker"'
        if point.difference.low is not None and point.difference.high is not None:
            left, right = (at(v, 0)[0] for v in (point.difference.low, point.difference.high))
            parts.append(f'<path {css} d="M{left:.1f} {y:.1f}H{right:.1f}"/>')
        if point.accuracy.low is not None and point.accuracy.high is not None:
            low, high = (at(0, v)[1] for v in (point.accuracy.low, point.accuracy.high))
            parts.append(f'<path {css} d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
    places = [at(point.difference.value, point.accuracy.value) for point in points]
    for number, (point, (x, y), (u, v)) in enumerate(zip(points, places, apart(places), strict=True), start=1):
        colour = point.difference.colour
        leader = f'<path class="c{colour % COLOURS} leader" d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}"/>'
        marks = leader + shape("circle", x, y, 3.5, colour) + shape(point.difference.shape, u, v, _LABEL, colour)
        label = f'<text class="inside" x="{u:.1f}" y="{v + 3.6:.1f}" text-anchor="middle">{number}</text>'
        parts.append(f"<g><title>{escape(point.name)}</title>{marks}{label}</g>")
    below = _TOP + _HEIGHT + 32
    middle = _LEFT + _WIDTH / 2
    parts.append(f'<text x="{_LEFT:.0f}" y="{below}">← against other</text>')
    parts.append(f'<text x="{_LEFT + _WIDTH:.0f}" y="{below}" text-anchor="end">against target →</text>')
    parts.append(
        f'<text class="axis" x="{middle:.0f}" y="{below + 17}" text-anchor="middle">F(Target) − F(Other)</text>'
    )
    parts.append(f'<text class="axis" x="{_LEFT - 28:.0f}" y="8">accuracy</text>')
    height = below + 22
    return (
        f'<svg viewBox="0 0 {_LEFT + _WIDTH + 12:.0f} {height:.0f}" role="img"'
        f' aria-label="{escape(title, quote=True)}">{"".join(parts)}</svg>'
    )


def apart(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places for the labels of points: beside them, upon no point and upon no other label."""
    if not places:
        return []
    middle = sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)
    labels = []
    for number, (x, y) in enumerate(places):
        dx, dy = x - middle[0], y - middle[1]
        size = math.hypot(dx, dy)
        if size < 0.01:
            dx, dy, size = math.cos(2 * number), math.sin(2 * number), 1.0
        labels.append([x + 16 * dx / size, y + 16 * dy / size])
    for _ in range(300):
        moved = False
        for i, label in enumerate(labels):
            fixed = [(x, y, _LABEL + 5.0) for x, y in places]
            others = [(x, y, 2 * _LABEL + 2) for j, (x, y) in enumerate(labels) if j != i]
            for x, y, least in fixed + others:
                dx, dy = label[0] - x, label[1] - y
                gap = math.hypot(dx, dy)
                if gap < least:
                    if gap < 0.01:
                        dx, dy, gap = math.cos(i), math.sin(i), 1.0
                    label[0] += dx / gap * (least - gap + 0.1)
                    label[1] += dy / gap * (least - gap + 0.1)
                    moved = True
        if not moved:
            break
    return [(x, y) for x, y in labels]


class Line(NamedTuple):
    """A line over x, with marks that may have intervals."""

    name: str
    xs: Sequence[float]
    marks: Sequence[Mark]


def lines(found: Sequence[Line], bounds: Scale, title: str, below: str) -> str:
    """Lines over a number, such as the temperature; the neutral value is dashed."""
    xs = sorted({x for line in found for x in line.xs})
    first, last = xs[0], xs[-1]

    def at(x: float, value: float) -> tuple[float, float]:
        share = (x - first) / (last - first) if last > first else 0.5
        return _LEFT + 12 + (_WIDTH - 24) * share, _TOP + _HEIGHT * (1 - bounds.at(value) / 100)

    parts = []
    for tick in bounds.ticks:
        y = at(first, tick)[1]
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}h{_WIDTH}"/>')
        parts.append(f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'.replace(">-", ">−"))
    if bounds.neutral is not None:
        y = at(first, bounds.neutral)[1]
        parts.append(f'<path class="neutral" d="M{_LEFT} {y:.1f}h{_WIDTH}"/>')
    for x in xs:
        parts.append(
            f'<text x="{at(x, bounds.low)[0]:.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">{x:g}</text>'
        )
    for number, line in enumerate(found):
        colour = f"c{line.marks[0].colour % COLOURS}"
        aside = 5 * (number - (len(found) - 1) / 2)  # so that intervals stand beside each other
        places = [(x + aside, y) for x, y in map(at, line.xs, [mark.value for mark in line.marks])]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        inner = [f'<polyline class="{colour} line" points="{path}"/>']
        for (x, y), mark in zip(places, line.marks, strict=True):
            if mark.low is not None and mark.high is not None:
                low, high = (at(first, v)[1] for v in (mark.low, mark.high))
                inner.append(f'<path class="{colour} whisker" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
            inner.append(shape(mark.shape, x, y, 4, mark.colour))
        parts.append(f"<g><title>{escape(line.name)}</title>{''.join(inner)}</g>")
    under = _TOP + _HEIGHT + 34
    parts.append(
        f'<text class="axis" x="{_LEFT + _WIDTH / 2:.0f}" y="{under}" text-anchor="middle">{escape(below)}</text>'
    )
    return (
        f'<svg viewBox="0 0 {_LEFT + _WIDTH + 12:.0f} {under + 6:.0f}" role="img"'
        f' aria-label="{escape(title, quote=True)}">{"".join(parts)}</svg>'
    )


class Dot(NamedTuple):
    """A group between two numbers from 0 to 1, and how much it weighs."""

    name: str
    x: float
    y: float
    n: int


def scatter(dots: Sequence[Dot], title: str, below: str, aside: str) -> str:
    """Two shares of each group against each other; on the dashed line they are the same."""

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT + _WIDTH * x, _TOP + _HEIGHT * (1 - y)

    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at(0, tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {y:.1f}h{_WIDTH}"/>')
        parts.append(f'<text x="{x - 5:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        x, y = at(tick, 0)
        parts.append(f'<path class="grid" d="M{x:.1f} {y:.1f}v{-_HEIGHT}"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle">{tick:g}</text>')
    (left, bottom), (right, top) = at(0, 0), at(1, 1)
    parts.append(f'<path class="neutral" d="M{left:.1f} {bottom:.1f}L{right:.1f} {top:.1f}"/>')
    for dot in dots:
        told = f"{dot.name}: {dot.x:.3f}, {dot.y:.3f}, n = {dot.n:,}"
        parts.append(f"<g><title>{escape(told)}</title>{shape('circle', *at(dot.x, dot.y), 4, 0)}</g>")
    under = _TOP + _HEIGHT + 32
    middle = _LEFT + _WIDTH / 2
    parts.append(f'<text class="axis" x="{middle:.0f}" y="{under}" text-anchor="middle">{escape(below)}</text>')
    parts.append(f'<text class="axis" x="{_LEFT - 28:.0f}" y="10">{escape(aside)}</text>')
    return (
        f'<svg viewBox="0 0 {_LEFT + _WIDTH + 12:.0f} {under + 6:.0f}" role="img"'
        f' aria-label="{escape(title, quote=True)}">{"".join(parts)}</svg>'
    )
