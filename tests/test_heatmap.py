"""Shaded tables: what stands in them, and that every number can be read on its ground."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from contrapar.evaluate.heatmap import html, luminance, of_run, of_runs, shade
from contrapar.evaluate.metrics import Figure
from contrapar.evaluate.metrics.ranks import spearman
from contrapar.evaluate.orders import PERMUTATIONS, orders


def figures(values: dict[str, float | None], metric: str = "f1", half: str = "yes_no") -> list[Figure]:
    return [
        Figure(metric, {"format": half, "country": country}, value, n=9, reason="" if value else "no valid answer")
        for country, value in values.items()
    ]


RUN = [
    *figures({"cl": 0.25, "es": 0.75, "mx": 0.5, "gq": None}),
    *figures({"cl": 1.0, "es": 1.0, "mx": 0.9, "gq": 0.0}, "valid_ratio"),
    *figures({"cl": 0.0, "es": 0.0, "mx": 0.1, "gq": 1.0}, "refusal_share"),
    *figures({"cl": -0.1, "es": 0.4}, "jaccard_adjusted", "choice"),
    Figure("f1", {"format": "yes_no"}, 0.5),
    Figure("f1", {"format": "yes_no", "concept_id": "a"}, 0.5),
]


def channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def test_every_number_stands_out_from_its_ground_and_shades_only_grow_darker() -> None:
    lights = []
    for place in range(101):
        ground, ink = shade(place / 100)
        low, high = sorted((luminance(channels(ground)), luminance(channels(ink))))
        assert (high + 0.05) / (low + 0.05) >= 4.5  # WCAG 2.2, level AA
        lights.append(luminance(channels(ground)))
    assert lights == sorted(lights, reverse=True)
    assert shade(-1) == shade(0)
    assert shade(2) == shade(1)


def test_countries_by_metrics_largest_first_one_map_a_half() -> None:
    first, second = of_run(RUN, "lexical")
    assert (first.title, first.first, first.rows) == ("yes or no", "country", ["es", "mx", "cl", "gq"])
    assert [column.name for column in first.columns] == ["valid ratio", "F1"]  # no shares of what failed
    assert [cell and cell.value for cell in first.columns[1].cells] == [0.75, 0.5, 0.25, None]
    assert (second.title, second.rows) == ("multiple choice", ["es", "cl"])


def test_countries_by_models_share_one_scale() -> None:
    worse = figures({"cl": 0.1, "es": 0.2, "ar": 0.9})
    (heat, *_) = of_runs([("one", RUN), ("two", worse)], "lexical")
    assert heat.title == "F1, yes or no"
    assert [column.name for column in heat.columns] == ["one", "two"]
    assert heat.rows == ["ar", "mx", "es", "cl", "gq"]
    assert heat.columns[0].scale == heat.columns[1].scale
    assert [cell and cell.value for cell in heat.columns[1].cells] == [0.9, None, 0.2, 0.1, None]


def test_a_family_without_such_groups_has_no_map() -> None:
    assert of_run(RUN, "qa") == []
    assert of_runs([("one", RUN)], "pairs") == []
    assert of_run(figures({"cl": 0.1}), "lexical") == []


class Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_map_is_a_table_for_a_voice_too_whole_in_itself_and_escaped() -> None:
    (heat,) = of_runs([('<b>&"', figures({"cl": 0.25, "<i>": 0.75, "gq": None}))], "lexical")
    text = html(heat)
    read = Read()
    read.feed(text)
    assert not read.open
    assert {tag for tag, _ in read.tags} == {"div", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
    assert {attributes.get("scope") for tag, attributes in read.tags if tag == "th"} == {"col", "row"}
    assert read.texts[:3] == ["F1, yes or no", "Country", '<b>&"']
    assert {"0.250", "0.750", "–", "<i>", "0.2 to 0.8"} <= set(read.texts)
    assert not re.search("http|url|<script", text)
    assert 'title="no valid answer"' in text


@pytest.mark.parametrize("place", [0.0, 0.333, 1.0])
def test_shades_are_written_as_colours(place: float) -> None:
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in shade(place))


def test_runs_are_compared_by_the_order_of_their_countries() -> None:
    """One run has the order of the other, a third the opposite one; who is the same everywhere has none."""
    names = ["ar", "cl", "es", "mx", "pe"]
    up = dict(zip(names, [0.1, 0.2, 0.3, 0.4, 0.5], strict=True))
    also = dict(zip(names, [0.3, 0.31, 0.5, 0.6, 0.9], strict=True))
    down = dict(zip(names, [0.9, 0.8, 0.7, 0.6, 0.5], strict=True))
    flat = dict.fromkeys(names, 0.5)
    runs = [(name, figures(values)) for name, values in (("a", up), ("b", also), ("c", down), ("d", flat))]
    (heat,) = of_runs(runs, "lexical")
    table = orders(heat)
    assert table is not None
    assert table.names == ["a", "b", "c", "d"]
    cells = {(one, other): table.rows[i][1][j] for i, one in enumerate("abcd") for j, other in enumerate("abcd")}
    assert cells["a", "a"] == ("–", "")
    assert cells["a", "b"][0] == cells["b", "a"][0] == "1.000"
    assert cells["a", "c"][0] == "−1.000"
    assert cells["a", "d"] == ("no figure", "no order among what is ranked")
    p = spearman([*up.values()], [*also.values()], seed=0, permutations=PERMUTATIONS).p
    assert cells["a", "b"][1] == f"p = {p:.3f}, n = 5"
    (one,) = of_runs([("a", figures(up))], "lexical")
    assert orders(one) is None
