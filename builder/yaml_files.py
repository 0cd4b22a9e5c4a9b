"""YAML in which every scalar is text, and every value knows its line and column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from .problems import Place, Problem, SourceFaults

DEEPEST = 20
# the C parser where PyYAML was built with it: the same events, ten times as fast
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class Document:
    """Plain values (text, lists, mappings), and where each stands: `marks[("a", 0)] == (line, column)`."""

    path: str
    value: Any
    text: str
    marks: dict[tuple[str | int, ...], tuple[int, int]] = field(repr=False)

    def place(self, location: tuple[str | int, ...]) -> Place:
        """The place of the nearest thing that was really written."""
        while location and location not in self.marks:
            location = location[:-1]
        line, column = self.marks.get(location, (1, 1))
        return Place(self.path, line, column)


def read_yaml(path: str, text: str) -> Document:
    """Raises SourceFaults with every doubled key, or with the one fault that ends the reading."""
    marks: dict[tuple[str | int, ...], tuple[int, int]] = {}
    problems: list[Problem] = []

    def fault(mark: yaml.Mark | None, code: str, message: str, mend: str) -> Problem:
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return Problem(Place(path, line, column), code, message, mend)

    def convert(node: yaml.Node, location: tuple[str | int, ...]) -> Any:
        marks.setdefault(location, (node.start_mark.line + 1, node.start_mark.column + 1))
        if isinstance(node, yaml.ScalarNode):
            return node.value
        if isinstance(node, yaml.SequenceNode):
            return [convert(item, (*location, number)) for number, item in enumerate(node.value)]
        assert isinstance(node, yaml.MappingNode)
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problems.append(fault(key.start_mark, "yaml", "a key is not a word", "put the value in quotes"))
            elif key.value in found:
                problems.append(fault(key.start_mark, "doubled-key", f"{key.value!r} stands twice", "keep one of them"))
            else:
                marks[(*location, key.value)] = (key.start_mark.line + 1, key.start_mark.column + 1)
                found[key.value] = convert(value, (*location, key.value))
        return found

    try:
        _refuse_what_can_grow(path, text)
        node = yaml.compose(text, Loader=LOADER)
        value = None if node is None else convert(node, ())
    except yaml.MarkedYAMLError as error:
        what = " ".join((error.problem or "this is not YAML").split())
        mend = "quotes round a text with ':' or '#' in it, and equal indents, mend most of these"
        raise SourceFaults([fault(error.problem_mark, "yaml", what, mend)]) from None
    except yaml.YAMLError as error:
        what = " ".join(str(error).split())
        raise SourceFaults([fault(None, "yaml", what, "remove what is not text")]) from None
    if problems:
        raise SourceFaults(problems)
    return Document(path, value, text, marks)


def _refuse_what_can_grow(path: str, text: str) -> None:
    """Aliases and deep nesting make a small file cost without bound."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, yaml.AliasEvent):
            message, mend = f"alias *{event.anchor} is not read here", "write the value out"
            raise SourceFaults([Problem(Place(path, line, column), "yaml-alias", message, mend)])
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                message = f"nested more than {DEEPEST} deep"
                raise SourceFaults([Problem(Place(path, line, column), "yaml-depth", message, "flatten it")])
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
