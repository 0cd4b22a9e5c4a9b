"""From a template's slots to the entries that fill them, and which entries go together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from .expand import Hashes, Indices, Matrix, agreement, entry_hashes
from .phrases import Filling
from .problems import Place, Problem, nearest
from .render import Text, Variable
from .schema import KINDS, Entry, Slot, Template, Term
from .sources import Sources, Written

TOGETHER = "together"


@dataclass
class Column:
    """Slots that are filled at once: one slot, or those of a table of the template's own."""

    name: str
    slots: list[str]
    size: int


@dataclass
class Filled:
    """The columns of a template's combinations; `entries[slot]` has one entry for each row of its column."""

    written: Written[Template]
    columns: list[Column] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    home: dict[str, int] = field(default_factory=dict)
    allowed: dict[tuple[int, int], Matrix] = field(default_factory=dict)
    kinds: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        return [column.size for column in self.columns]

    def fault(self, location: tuple[str | int, ...], code: str, message: str, mend: str) -> None:
        self.problems.append(Problem(self.written.place(*location), code, message, mend))

    def add_column(self, name: str, entries: Mapping[str, list[Entry]]) -> None:
        for slot, listed in entries.items():
            self.entries[slot], self.home[slot] = listed, len(self.columns)
        self.columns.append(Column(name, list(entries), max((len(listed) for listed in entries.values()), default=0)))

    def keep(self, column: int, kept: Iterable[int]) -> None:
        kept = list(kept)
        for slot in self.columns[column].slots:
            self.entries[slot] = [self.entries[slot][index] for index in kept]
        self.columns[column].size = len(kept)
        for (a, b), matrix in self.allowed.items():
            if column in (a, b):
                self.allowed[a, b] = matrix[kept] if column == a else matrix[:, kept]

    def relate(self, left: str, right: str, matrix: Matrix) -> None:
        """Only entries for which the matrix is true go together."""
        a, b = self.home[left], self.home[right]
        if a == b:
            self.keep(a, (index for index in range(self.columns[a].size) if matrix[index, index]))
            return
        if a > b:
            a, b, matrix = b, a, matrix.T
        self.allowed[a, b] = self.allowed[a, b] & matrix if (a, b) in self.allowed else matrix

    def features(self, slot: str, name: str) -> list[list[str]]:
        return [entry.feature(name) for entry in self.entries[slot]]

    def agree(self, left: tuple[str, str], right: tuple[str, str]) -> None:
        self.relate(left[0], right[0], agreement(self.features(*left), self.features(*right)))

    def contrast(self, left: str, right: str) -> None:
        """An entry that names its contrasts goes with those only."""
        named = [entry.feature("contrast") if entry.has("contrast") else [] for entry in self.entries[left]]
        self.relate(left, right, agreement(named, [[entry.id] for entry in self.entries[right]]))

    def filling(self, slot: str, forms: Iterable[str]) -> Filling:
        return Filling(len(self.entries[slot]), {form: [word(e, form) for e in self.entries[slot]] for form in forms})

    def hashes(self) -> tuple[list[str], list[Hashes], list[int]]:
        """Names, entry hashes and column of each slot, as ids are made of them."""
        names = list(self.entries)
        return names, [entry_hashes(n, [e.id for e in self.entries[n]]) for n in names], [self.home[n] for n in names]

    def of(self, slot: str, rows: Indices) -> Indices:
        """Which entry of a slot each combination has."""
        return rows[:, self.home[slot]]


def word(entry: Entry, form: str) -> str:
    """A form of an entry, or one of its columns as text; '' where it has neither."""
    if form in entry.form:
        return entry.form[form]
    if form and form in type(entry).model_fields:
        value = getattr(entry, form)
        return "|".join(value) if isinstance(value, list) else str(value if value is not None else "")
    return ""


def fill(written: Written[Template], sources: Sources) -> Filled:
    """Every slot with its entries; faults are in `problems`."""
    template = written.model
    filled = Filled(written)
    chosen = {name: _entries(name, slot, filled, sources) for name, slot in template.slots.items()}
    tabled: list[str] = []
    if template.together:
        table, tabled = _table(template, chosen, filled, sources)
        if tabled:
            filled.add_column(TOGETHER, table)
    for name in template.slots:
        if name not in tabled:
            filled.add_column(name, {name: chosen[name]})
    if filled.problems:
        return filled
    for name, slot in template.slots.items():
        for feature in slot.like:
            if "target" not in filled.entries or name == "target":
                filled.fault(("slots", name, "like"), "like", "`like` needs a slot `target`", "use `agree`")
            else:
                filled.agree(("target", feature), (name, feature))
    for number, terms in enumerate(template.agree):
        pairs = [_term(filled, term, number) for term in terms]
        for left, right in combinations(pairs, 2):
            if left and right:
                filled.agree(left, right)
    return filled


def _term(filled: Filled, term: str, number: int) -> tuple[str, str] | None:
    slot, _, feature = term.partition(".")
    location = ("agree", number)
    if slot not in filled.entries:
        filled.fault(location, "agree", f"{slot!r} is no slot of this template", nearest(slot, filled.entries))
        return None
    models = {type(entry) for entry in filled.entries[slot]} or {Entry}
    known = set.intersection(*(set(model.model_fields) for model in models)) - {"form"}
    if feature not in known:
        filled.fault(location, "agree", f"{term!r} is no column", nearest(feature, known))
        return None
    return slot, feature


def _entries(name: str, slot: Slot, filled: Filled, sources: Sources) -> list[Entry]:
    if slot.values:
        return [Term.model_construct(id=id, form={"": text}) for id, text in _trimmed(name, slot.values, filled)]
    filled.kinds[name] = slot.kinds
    found: list[Entry] = []
    where = slot.where
    for kind in slot.kinds:
        lexicon = sources.lexicon(kind)
        if lexicon is None:
            language = sources.dataset.model.language
            message = f"there is no lexicon of {kind} for {language!r}"
            filled.fault(("slots", name), "lexicon", message, f"make it: contrapar new lexicon {kind}")
            continue
        known = set(KINDS[kind].model_fields) - {"form"}
        for column in where:
            if column not in known:
                filled.fault(("slots", name, column), "slot-filter", f"{kind} have no column {column!r}",
                             nearest(column, known))  # fmt: skip
        named = where.get("id", lexicon.entries)
        for entry in (lexicon.entries[id] for id in sorted(set(named) & lexicon.entries.keys())):
            if entry.state != "retired" and all(
                set(entry.feature(column)) & set(values) if entry.has(column) else True
                for column, values in where.items()
            ):
                found.append(entry)
    if not found and not filled.problems:
        filled.fault(("slots", name), "empty-slot", f"nothing fills {name!r}", "look at its filters")
    return found


def _trimmed(name: str, values: Mapping[str, str], filled: Filled) -> Iterator[tuple[str, str]]:
    for id, text in values.items():
        if text.strip() != text or not text:
            filled.fault(("slots", name), "spaces", f"{text!r} is empty or has spaces at its ends", "trim it")
        yield id, text


def _table(
    template: Template, chosen: Mapping[str, list[Entry]], filled: Filled, sources: Sources
) -> tuple[dict[str, list[Entry]], list[str]]:
    """The entries of `together`, row by row."""
    names = [name for name in template.together[0] if name != "id"]
    table: dict[str, list[Entry]] = {name: [] for name in names}
    seen: set[tuple[str, ...]] = set()
    numbered = any("id" in row for row in template.together)
    labels: list[Entry] = []
    for number, row in enumerate(template.together):
        location = (TOGETHER, number)
        if set(row) - {"id"} != set(names):
            message = f"this row fills {', '.join(sorted(row))}; the first fills {', '.join(names)}"
            filled.fault(location, TOGETHER, message, "fill the same slots in every row")
            continue
        key = (*(row[name] for name in names), row.get("id", ""))
        if key in seen:
            filled.fault(location, TOGETHER, "this row stands twice", "remove one")
            continue
        seen.add(key)
        labels.append(Term.model_construct(id=row.get("id", ""), form={}))
        for name in names:
            if name not in template.slots:
                table[name].append(Term.model_construct(id=row[name], form={"": row[name]}))
                continue
            known = {entry.id: entry for entry in chosen[name]}
            if row[name] in known:
                table[name].append(known[row[name]])
            else:
                message = f"{row[name]!r} is no entry of slot {name!r}"
                filled.fault((*location, name), "unknown-id", message, nearest(row[name], known))
                table[name].append(Term.model_construct(id=row[name], form={}))
    if numbered:
        table["row"] = labels
    return table, [*names]


def form_problems(filled: Filled, text: Text, slots: Mapping[str, tuple[str, ...]], sources: Sources,
                  location: tuple[str | int, ...]) -> list[Problem]:  # fmt: skip
    """Forms that a text needs and an entry lacks. `slots` says which slots' entries a name in it may show."""
    problems: list[Problem] = []
    for variable in sorted(text.needed | text.tested):
        entries = [entry for slot in slots[variable.slot] for entry in filled.entries.get(slot, [])]
        known = {form for entry in entries for form in entry.form}
        columns = {name for entry in entries for name in type(entry).model_fields} - {"form"}
        if variable.form not in known | columns:
            if not variable.form:
                message = f"{variable.slot!r} has no bare form"
                mend = f"write one of {', '.join(f'{variable.slot}.{form}' for form in sorted(known)) or 'its forms'}"
            else:
                message = f"no entry has {str(variable)!r}"
                mend = nearest(variable.form, {form for form in known if form} | columns)
            place = filled.written.inside(location, text.lines[variable], variable.slot)
            problems.append(Problem(place, "undefined-form", message, mend))
            continue
        if variable in text.tested:
            continue
        for entry in entries:
            if not word(entry, variable.form):
                problems.append(_missing(filled, entry, variable, slots, sources))
    return list(dict.fromkeys(problems))


def _missing(filled: Filled, entry: Entry, variable: Variable, slots: Mapping[str, tuple[str, ...]],
             sources: Sources) -> Problem:  # fmt: skip
    kinds = [kind for slot in slots[variable.slot] for kind in filled.kinds.get(slot, [])]
    name = "form" if not variable.form else variable.form
    if variable.form and variable.form not in type(entry).model_fields:
        name = f"form.{variable.form}"
    message = f"{entry.id!r} has no {name}, which {filled.written.model.id!r} uses"
    mend = "add one, or leave the templates that need it"
    for kind in kinds:
        lexicon = sources.lexicon(kind)
        if lexicon and entry.id in lexicon.places:
            place = lexicon.places[entry.id]
            return Problem(Place(place.path, place.line, field=name), "missing-form", message, mend)
    return Problem(filled.written.place("slots"), "missing-form", message, mend)
