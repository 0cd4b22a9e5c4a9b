"""Strict Jinja in a cage: a text field becomes parts, each of which depends on few slots. Pure.

Only what prose needs is understood: names, `{% if %}`, comparisons, `~` and the language's filters. Without
loops, calls and attributes of objects, the time and output of a template are bounded by its own length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from jinja2 import StrictUndefined, TemplateRuntimeError, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .languages import language

LONGEST = 20_000
DEEPEST = 20

_ALLOWED = (
    nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.CondExpr, nodes.Compare,
    nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Filter, nodes.Concat,
)  # fmt: skip
_INSTEAD = {
    nodes.For: "write the sentences out; a slot is filled with each of its entries by itself",
    nodes.Assign: "write the words where they are used",
    nodes.Call: "use a filter, such as {{ slot | sentence }}",
    nodes.Getitem: "write slot.form",
    nodes.Include: "a template reads no other file",
    nodes.Import: "a template reads no other file",
    nodes.FromImport: "a template reads no other file",
    nodes.Extends: "a template reads no other file",
    nodes.Macro: "write the words out",
}


# how filters say that they cannot take what they are given
_REFUSED = (TypeError, ValueError, AttributeError, LookupError, TemplateRuntimeError)


class TemplateFault(Exception):
    """What is wrong in a template's text. `line` counts from 1 in the text; `word` is what to look for there."""

    def __init__(self, code: str, message: str, mend: str, line: int = 1, word: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.mend, self.line, self.word = code, message, mend, line, word


@dataclass(frozen=True, order=True)
class Variable:
    """`slot.form` as a template names it; form '' is the bare slot."""

    slot: str
    form: str

    def __str__(self) -> str:
        return f"{self.slot}.{self.form}" if self.form else self.slot


@dataclass(frozen=True)
class Part:
    """A stretch of a text: literal, or the render of one expression or condition. `plain`: one variable as it is."""

    literal: str
    variables: tuple[Variable, ...] = ()
    render: Callable[[Mapping[Variable, str]], str] | None = None
    plain: bool = False


@dataclass(frozen=True)
class Text:
    """A compiled text field."""

    source: str
    parts: tuple[Part, ...]
    needed: frozenset[Variable]
    tested: frozenset[Variable]
    lines: Mapping[Variable, int]

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(sorted({variable.slot for part in self.parts for variable in part.variables}))


@lru_cache(maxsize=16)
def _environment(code: str) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, loader=None, keep_trailing_newline=True, extensions=()
    )
    environment.filters = dict(language(code).filters)
    environment.tests = {}
    environment.globals = {}
    return environment


def compile_text(source: str, slots: frozenset[str], code: str) -> Text:
    """A text of the language `code`. Raises TemplateFault for the first thing that is not understood."""
    if len(source) > LONGEST:
        raise TemplateFault("template-size", f"a text of {len(source):,} characters", f"at most {LONGEST:,}")
    environment = _environment(code)
    try:
        tree = environment.parse(source)
    except TemplateSyntaxError as error:
        mend = '{{ slot }} fills a slot, {% if slot.gender == "f" %}...{% endif %} chooses'
        raise TemplateFault("jinja", (error.message or "not Jinja")[:120], mend, error.lineno) from None
    except RecursionError:
        raise TemplateFault("jinja", "nested too deep", "write it out") from None
    except ValueError:
        raise TemplateFault("jinja", "a number that is too long", "write it in quotes") from None
    _bound_depth(tree)
    lines: dict[Variable, int] = {}
    tested: set[Variable] = set()
    needed: set[Variable] = set()
    parts: list[Part] = []
    for top in tree.body:
        for node in top.nodes if isinstance(top, nodes.Output) else [top]:
            if isinstance(node, nodes.TemplateData):
                parts.append(Part(node.data))
                continue
            found: dict[Variable, int] = {}
            flat = _flatten(node, slots, environment, found)
            for variable, line in found.items():
                lines.setdefault(variable, line)
            named = {_mangled(variable): variable for variable in found}
            in_tests = {named[name] for name in _tested_names(flat)}
            tested |= in_tests
            needed |= set(found)
            variables = tuple(sorted(found))
            render = _renderer(flat, variables, environment)
            parts.append(Part("", variables, render, plain=isinstance(flat, nodes.Name)))
    return Text(source, tuple(parts), frozenset(needed - tested), frozenset(tested), lines)


def names_in(source: str) -> set[str]:
    """Names that a text uses; none where it is not Jinja, which `compile_text` tells."""
    try:
        return {name.name for name in _environment("").parse(source).find_all(nodes.Name)}
    except (TemplateSyntaxError, RecursionError, ValueError):
        return set()


def _bound_depth(tree: nodes.Node) -> None:
    """What is nested deep would exhaust the compilers, ours and Python's, or keep them busy for minutes."""
    level: list[nodes.Node] = [tree]
    for _ in range(DEEPEST):
        level = [inner for node in level for inner in node.iter_child_nodes()]
        if not level:
            return
    raise TemplateFault("jinja", "nested too deep", "write it out", level[0].lineno)


def _mangled(variable: Variable) -> str:
    return f"{variable.slot}__{variable.form.replace('.', '__')}"


def _flatten(
    node: nodes.Node, slots: frozenset[str], environment: ImmutableSandboxedEnvironment, found: dict[Variable, int]
) -> nodes.Node:
    """`slot.sg.f` becomes one plain name, so that no object ever reaches the template; the rest is refused."""
    if isinstance(node, nodes.Getattr | nodes.Name):
        chain: list[str] = []
        inner: nodes.Node = node
        while isinstance(inner, nodes.Getattr):
            chain.append(inner.attr)
            inner = inner.node
        if not isinstance(inner, nodes.Name):
            raise TemplateFault("jinja-cage", "only slots have forms", "write slot.form", node.lineno)
        bad = next((name for name in (inner.name, *chain) if name.startswith("_") or "__" in name), None)
        if bad:
            message = f"{bad!r} is not reached from a template"
            raise TemplateFault("jinja-cage", message, "templates see only slots and their forms", node.lineno, bad)
        if inner.name not in slots:
            known = ", ".join(sorted(slots)) or "none"
            message = f"{inner.name!r} is no slot of this template"
            raise TemplateFault("undefined-slot", message, f"its slots: {known}", node.lineno, inner.name)
        variable = Variable(inner.name, ".".join(reversed(chain)))
        found.setdefault(variable, node.lineno)
        return nodes.Name(_mangled(variable), "load", lineno=node.lineno, environment=environment)
    if not isinstance(node, _ALLOWED):
        word = type(node).__name__.lower()
        mend = next((mend for kind, mend in _INSTEAD.items() if isinstance(node, kind)), "write it in words")
        raise TemplateFault("jinja-cage", f"{word!r} is no part of our templates", mend, node.lineno)
    if isinstance(node, nodes.Const) and not _is_text(node.value):
        raise TemplateFault("jinja-cage", "only text is written here", "put it in quotes", node.lineno)
    if isinstance(node, nodes.CondExpr) and node.expr2 is None:
        raise TemplateFault("jinja", "an `if` without `else` leaves a hole", 'add: else ""', node.lineno)
    if isinstance(node, nodes.Operand) and isinstance(node.expr, nodes.Tuple | nodes.List):
        for number, item in enumerate(node.expr.items):
            node.expr.items[number] = cast(nodes.Expr, _flatten(item, slots, environment, found))
        return node
    if isinstance(node, nodes.Filter):
        if node.name not in environment.filters:
            known = ", ".join(sorted(environment.filters))
            message = f"there is no filter {node.name!r}"
            raise TemplateFault("filter", message, f"this language has: {known}", node.lineno, node.name)
        if node.kwargs or node.dyn_args is not None or node.dyn_kwargs is not None:
            message = f"filter {node.name!r} takes plain arguments"
            raise TemplateFault("filter", message, 'such as | el("f")', node.lineno, node.name)
        if all(isinstance(given, nodes.Const) and _is_text(given.value) for given in node.args):
            try:  # a filter takes any text, so that what fails here are its arguments
                environment.filters[node.name]("a", *(given.as_const() for given in node.args))
            except _REFUSED as error:
                raise _refused(error, node.lineno, node.name) from None
    for name, value in node.iter_fields():
        if isinstance(value, nodes.Node):
            setattr(node, name, _flatten(value, slots, environment, found))
        elif isinstance(value, list):
            setattr(
                node,
                name,
                [_flatten(item, slots, environment, found) if isinstance(item, nodes.Node) else item for item in value],
            )
    return node


def _refused(error: Exception, line: int, word: str = "") -> TemplateFault:
    message = f"a filter was given what it cannot take: {error}"
    return TemplateFault("filter", message, "see the language's page for its arguments", line, word)


def _is_text(value: object) -> bool:
    """Half of a pair of surrogates is no text: no file can hold it."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _tested_names(node: nodes.Node) -> Iterator[str]:
    """Names that stand in a condition: they may be empty."""
    for found in (node, *node.find_all((nodes.If, nodes.CondExpr))):
        if isinstance(found, nodes.If | nodes.CondExpr):
            test = found.test
            if isinstance(test, nodes.Name):
                yield test.name
            for name in test.find_all(nodes.Name):
                yield name.name


def _renderer(
    node: nodes.Node, variables: tuple[Variable, ...], environment: ImmutableSandboxedEnvironment
) -> Callable[[Mapping[Variable, str]], str]:
    if isinstance(node, nodes.Name):
        only = variables[0]
        return lambda words: words[only]
    body = node if isinstance(node, nodes.If) else nodes.Output([node], lineno=node.lineno)
    tree = nodes.Template([body], lineno=node.lineno)
    tree.set_environment(environment)
    template = environment.template_class.from_code(environment, environment.compile(tree), {})
    names = {variable: _mangled(variable) for variable in variables}

    def render(words: Mapping[Variable, str]) -> str:
        try:
            return template.render({name: words[variable] for variable, name in names.items()})
        except _REFUSED as error:
            raise _refused(error, node.lineno) from None

    return render
