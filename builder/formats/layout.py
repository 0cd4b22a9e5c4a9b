"""What a layout is: columns by which it is known, and how they become ours."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

LONGEST_LITERAL = 20_000


@dataclass(frozen=True)
class Layout:
    """The layout of somebody's benchmark. `read` gives our columns; `names` says what ours are called there."""

    name: str
    family: str
    columns: frozenset[str]
    read: Callable[[Mapping[str, list[Any]]], dict[str, list[Any]]]
    names: Mapping[str, str] = field(default_factory=dict)


def nested(value: Any) -> Any:
    """A dict or list that a table holds as text: JSON, or Python's own way of writing it. None where it is neither."""
    return _parsed(value) if isinstance(value, str) else value


@lru_cache(maxsize=1 << 14)
def _parsed(text: str) -> Any:
    if len(text) > LONGEST_LITERAL:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None
