"""Combinations, their ids and samples, beside a reference that does it the long way."""

from __future__ import annotations

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import write
from contrapar.builder.chain import prepare, tables
from contrapar.builder.expand import (
    Hashes,
    Indices,
    Matrix,
    agreement,
    combination_hashes,
    combinations,
    entry_hashes,
    hex_ids,
    mixed,
    sampled,
    word_hash,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from small import PAIRS

quick = settings(max_examples=20, deadline=None)
values = st.lists(st.lists(st.sampled_from("abc"), max_size=2), min_size=1, max_size=5)


# --- agreement --------------------------------------------------------------------------------------------


@given(values, values)
@quick
def test_entries_agree_that_share_a_value_or_say_nothing(left: list[list[str]], right: list[list[str]]) -> None:
    matrix = agreement(left, right)
    assert matrix.tolist() == [[not a or not b or bool(set(a) & set(b)) for b in right] for a in left]


def test_agreement_of_nobody() -> None:
    assert agreement([], [["a"]]).shape == (0, 1)
    assert agreement([[], []], [[]]).tolist() == [[True], [True]]


# --- combinations -----------------------------------------------------------------------------------------


def reference(sizes: Sequence[int], allowed: dict[tuple[int, int], Matrix]) -> list[tuple[int, ...]]:
    return [
        row
        for row in itertools.product(*map(range, sizes))
        if all(matrix[row[i], row[j]] for (i, j), matrix in allowed.items())
    ]


@st.composite
def agreements(draw: st.DrawFn) -> tuple[list[int], dict[tuple[int, int], Matrix]]:
    sizes = draw(st.lists(st.integers(1, 4), max_size=5))
    allowed = {}
    for pair in draw(st.sets(st.sampled_from(list(itertools.combinations(range(len(sizes)), 2)) or [None]))):
        if pair is not None:
            size = sizes[pair[0]] * sizes[pair[1]]
            flags = draw(st.lists(st.booleans(), min_size=size, max_size=size))
            allowed[pair] = np.array(flags, np.bool_).reshape(sizes[pair[0]], sizes[pair[1]])
    return sizes, allowed


@given(agreements(), st.integers(1, 50))
@quick
def test_combinations_are_those_that_agree_in_order(
    made: tuple[list[int], dict[tuple[int, int], Matrix]], block: int
) -> None:
    sizes, allowed = made
    found = [tuple(map(int, row)) for rows in combinations(sizes, allowed, block) for row in rows]
    assert found == reference(sizes, allowed)


@given(agreements(), st.integers(1, 50))
@quick
def test_a_block_is_never_much_larger_than_it_may_be(
    made: tuple[list[int], dict[tuple[int, int], Matrix]], block: int
) -> None:
    sizes, allowed = made
    lengths = [len(rows) for rows in combinations(sizes, allowed, block)]
    assert all(length < 2 * block + max(sizes, default=1) for length in lengths)
    assert all(length >= block for length in lengths[:-1])


def test_an_impossible_agreement_gives_no_block() -> None:
    assert list(combinations([2, 2], {(0, 1): np.zeros((2, 2), np.bool_)})) == []
    assert list(combinations([2, 0], {})) == []


# --- ids --------------------------------------------------------------------------------------------------


def ids(seed: str, slots: Sequence[str], entries: Sequence[Sequence[str]], rows: Indices) -> list[str]:
    hashes = [entry_hashes(slot, listed) for slot, listed in zip(slots, entries, strict=True)]
    found: list[str] = hex_ids(combination_hashes(seed, slots, hashes, rows)).to_pylist()
    return found


@given(st.permutations(["name", "identity", "predicate"]))
@quick
def test_an_id_knows_no_order_of_slots(order: list[str]) -> None:
    entries = {"name": ["a", "b", "c"], "identity": ["a", "b"], "predicate": ["x"]}
    rows = np.array(list(itertools.product(range(3), range(2), range(1))), np.int64)
    plain = ids("set/one", list(entries), list(entries.values()), rows)
    places = [list(entries).index(slot) for slot in order]
    assert ids("set/one", order, [entries[slot] for slot in order], rows[:, places]) == plain
    assert len(set(plain)) == len(plain) == 6
    assert all(re.fullmatch("[0-9a-f]{16}", id) for id in plain)


def test_an_id_is_that_of_its_template_slots_and_entries() -> None:
    one = np.zeros((1, 2), np.int64)
    made = {
        ids(seed, slots, entries, one)[0]
        for seed in ("set/one", "set/two", "other/one")
        for slots in (["x", "y"], ["x", "z"])
        for entries in ([["a"], ["b"]], [["b"], ["a"]], [["a"], ["a"]], [["ab"], [""]], [["a"], ["bb"]])
    }
    assert len(made) == 3 * 2 * 5


def test_an_id_never_changes() -> None:
    """Published rows are known by these."""
    assert word_hash("identiteit/naam-is") == int.from_bytes(bytes.fromhex("11b313d3fe93c340"), "little")
    assert ids("set/one", ["name"], [["emma"]], np.zeros((1, 1), np.int64)) == ["a3e4d61c4b97132c"]


def test_no_two_of_many_ids_are_equal() -> None:
    entries = [[str(number) for number in range(100)]] * 3
    (rows,) = combinations([100, 100, 30], {}, block=10**6)
    assert len(set(ids("set/one", ["a", "b", "c"], entries, rows))) == 300_000


def test_ids_are_written_as_hexadecimal_numbers_are() -> None:
    numbers = np.array([0, 1, 0xFEDCBA9876543210, 2**64 - 1], np.uint64)
    assert hex_ids(numbers).to_pylist() == [f"{int(number):016x}" for number in numbers]
    assert hex_ids(numbers[:0]).to_pylist() == []


def test_a_state_that_is_mixed_differs_in_about_half_its_bits() -> None:
    states = np.arange(1000, dtype=np.uint64)
    bits = np.unpackbits((mixed(states, states) ^ mixed(states, states + np.uint64(1))).view(np.uint8))
    assert 0.48 < bits.mean() < 0.52


# --- sampling ---------------------------------------------------------------------------------------------


def made(entries: list[list[str]], block: int) -> Iterator[tuple[Indices, Hashes]]:
    slots = [f"s{number}" for number in range(len(entries))]
    hashes = [entry_hashes(slot, listed) for slot, listed in zip(slots, entries, strict=True)]
    for rows in combinations([len(listed) for listed in entries], {}, block):
        yield rows, combination_hashes("set/one", slots, hashes, rows)


def kept(entries: list[list[str]], columns: int, keep: int, block: int = 7) -> list[tuple[str, ...]]:
    """The entries of the combinations that a sample keeps, in their order."""
    return [
        tuple(entries[column][index] for column, index in enumerate(row))
        for rows, _ in sampled(made(entries, block), columns, keep)
        for row in rows
    ]


listed = st.lists(st.text("abcdefgh", min_size=1, max_size=2), min_size=1, max_size=5, unique=True).map(sorted)
several = st.lists(listed, min_size=1, max_size=3)


@given(several, st.integers(0, 3), st.integers(1, 6), st.integers(1, 40))
@quick
def test_a_sample_keeps_the_lowest_of_each_stratum(
    entries: list[list[str]], columns: int, keep: int, block: int
) -> None:
    columns = min(columns, len(entries))
    strata: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    for rows, hashes in made(entries, 10**6):
        for row, number in zip(rows.tolist(), hashes.tolist(), strict=True):
            strata[tuple(row[:columns])].append((number, tuple(row)))
    expected = sorted(row for stratum in strata.values() for _, row in sorted(stratum)[:keep])
    found = [tuple(row) for rows, _ in sampled(made(entries, block), columns, keep) for row in rows.tolist()]
    assert found == expected
    assert all(
        len([row for row in found if row[:columns] == stratum]) == min(keep, len(of)) for stratum, of in strata.items()
    )


@given(several, st.integers(0, 2), st.integers(1, 6), st.text("xyz", min_size=1, max_size=2), st.randoms())
@quick
def test_a_new_entry_displaces_only_what_it_comes_before(
    entries: list[list[str]], columns: int, keep: int, new: str, chance: random.Random
) -> None:
    columns = min(columns, len(entries))
    slot = chance.randrange(len(entries))
    more = [sorted([*some, new]) if number == slot else some for number, some in enumerate(entries)]
    before, after = set(kept(entries, columns, keep)), set(kept(more, columns, keep))
    came = {row for row in after if row[slot] == new}
    assert after - before == came
    gone = before - after
    assert len(gone) <= len(came)
    for row in gone:
        assert any(other[:columns] == row[:columns] for other in came)


@given(several, st.integers(0, 2), st.integers(1, 4))
@quick
def test_a_larger_sample_holds_the_smaller_one(entries: list[list[str]], columns: int, keep: int) -> None:
    columns = min(columns, len(entries))
    assert set(kept(entries, columns, keep)) <= set(kept(entries, columns, keep + 1))


# --- agreement and sampling, from a template --------------------------------------------------------------


def slots_of(root: Path) -> list[list[str]]:
    chain = prepare(str(root))
    rows = [row for table in tables(chain) for row in table.to_pylist()]
    assert [str(problem) for problem in chain.problems(complete=True) if problem.severity == "error"] == []
    return [row["slots"] for row in rows]


def pairs(root: Path, template: str) -> Path:
    return write(root, {**PAIRS, "templates/small/a.yaml": template})


def test_of_three_terms_every_two_agree(tmp_path: Path) -> None:
    """An entry that says nothing does not let the two beside it disagree."""
    template = (
        "- id: los\n  slots: {name: names, predicate: predicates, identity: identities}\n"
        "  agree: [name.gender, predicate.gender, identity.gender]\n"
        '  text: "{{ name }} is {{ identity.adjective }} en {{ predicate.sg }}."\n'
    )
    found = slots_of(pairs(tmp_path, template))
    assert not any("name=daan" in slots and "identity=lesbisch" in slots for slots in found)
    assert any("name=emma" in slots and "identity=lesbisch" in slots for slots in found)


def test_agreement_inside_a_table_of_slots_moves_nothing_else(tmp_path: Path) -> None:
    """What an agreement takes out of a table must not shift what another said of its rows."""
    template = (
        "- id: los\n  slots: {name: names, identity: identities, friend: names, predicate: predicates}\n"
        "  together:\n"
        "  - {name: daan, friend: emma}\n"
        "  - {name: robin, friend: emma}\n"
        "  - {name: emma, friend: robin}\n"
        "  - {name: daan, friend: daan}\n"
        "  agree: [[name.gender, identity.gender], [name.gender, friend.gender]]\n"
        '  text: "{{ name }} zegt tegen {{ friend }}: ik ben {{ identity.adjective }}, zij {{ predicate.sg }}."\n'
    )
    made = slots_of(pairs(tmp_path, template))
    found = {tuple(sorted(slot for slot in slots if "predicate" not in slot)) for slots in made}
    together = {("friend=emma", "name=robin"), ("friend=robin", "name=emma"), ("friend=daan", "name=daan")}
    assert found == {
        (friend, f"identity={identity}", name, f"other={other}")
        for friend, name in together
        for identity, other in (("lesbisch", "hetero"), ("bi", "hetero"), ("bi", "mono"))
        if not (identity == "lesbisch" and name == "name=daan")
    }


def test_the_other_identity_agrees_as_the_target_does(tmp_path: Path) -> None:
    """The contrast of a woman's identity is not said of a man."""
    identities = PAIRS["lexicons/nl/identities.csv"] + "man;orientation;other;;m;mannelijk;mannen\n"
    files = {**PAIRS, "lexicons/nl/identities.csv": identities.replace("hetero|mono;", "hetero|man;")}
    found = slots_of(write(tmp_path, files))
    assert any("other=man" in slots and "name=robin" in slots for slots in found)
    assert not any("other=man" in slots and "name=emma" in slots for slots in found)
    assert any("other=hetero" in slots and "name=emma" in slots for slots in found)


@pytest.mark.parametrize("per", [["template"], ["template", "identity"], ["name", "other"], ["predicate", "name"]])
def test_a_dataset_keeps_so_many_of_each_stratum(per: list[str], tmp_path: Path) -> None:
    dataset = PAIRS["templates/small/dataset.yaml"] + f"sampling: {{keep: 2, per: [{', '.join(per)}]}}\n"
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    whole: dict[tuple[str, ...], int] = defaultdict(int)
    named = [slot for slot in per if slot != "template"]
    for files, into in (({**PAIRS, "templates/small/dataset.yaml": dataset}, counts), (PAIRS, whole)):
        for row in all_rows(write(tmp_path / str(len(counts)), files)):
            slots = dict(slot.split("=") for slot in row["slots"])
            into[row["template"], *(slots[slot] for slot in named)] += 1
    assert counts == {stratum: min(2, count) for stratum, count in whole.items()}


def all_rows(root: Path) -> list[dict[str, list[str]]]:
    return [row for table in tables(prepare(str(root))) for row in table.to_pylist()]
