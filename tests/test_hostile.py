"""Sources that mean harm, or that nobody meant to be read: one clear line, in bounded time, and nothing left."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import pytest
from conftest import Run, write
from contrapar.builder import sources
from contrapar.builder.build import check
from contrapar.cli import main
from small import PAIRS

LONGEST_LINE = 300
SECONDS = 5
A_TEMPLATE = "templates/small/a.yaml"
NAMES = "lexicons/nl/names.csv"


@contextmanager
def bounded(seconds: int = 4 * SECONDS) -> Iterator[None]:
    """Ends what would never end by itself."""

    def give_up(*_: object) -> None:
        raise AssertionError(f"not done after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def listing(folder: Path) -> dict[str, tuple[bool, int]]:
    return {
        str(path.relative_to(folder)): (path.is_symlink(), path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
        if path != folder
    }


def told(folder: Path, capsys: pytest.CaptureFixture[str], verb: str = "check") -> tuple[int, list[str]]:
    """The exit code and the findings of a verb run below `folder`; the limits hold for every one of them."""
    before, started = listing(folder), process_time()
    with pytest.raises(SystemExit) as stopped, bounded():
        main([verb, str(folder)])
    assert process_time() - started < SECONDS
    assert listing(folder) == before
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    lines = [line for line in (out + err).splitlines() if ": error " in line or line.startswith("contrapar")]
    assert all(len(line) <= LONGEST_LINE for line in lines), lines
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, lines


def faults(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str = "check"
) -> list[str]:
    """What a verb tells, which must be something."""
    monkeypatch.chdir(root)
    monkeypatch.setattr(sources, "PACKAGE", root.parent / "nothing")
    code, lines = told(root, capsys, verb)
    assert code in (1, 2)
    assert lines
    return lines


def template(text: str) -> dict[str, str]:
    return {
        **PAIRS,
        A_TEMPLATE: "- id: kwaad\n"
        "  slots: {name: names, identity: identities, predicate: predicates}\n"
        "  agree: [[name.gender, identity.gender], [predicate.groups, identity.id]]\n"
        f"  text: |-\n    {text}\n",
    }


ALL = "{{ name }} is {{ identity.adjective }} en {{ predicate.sg }}."

REACHING = {
    "a loop for ever": "{% for a in name recursive %}{{ loop(name) }}{% endfor %}",
    "a range of a milliard": "{% for a in range(10**9) %}{{ name }}{% endfor %}",
    "a class": "{{ name.__class__ }}",
    "a class by filter": "{{ name|attr('__class__') }}",
    "a class by item": "{{ name['__class__'] }}",
    "a class by an item put together": "{{ name['__cla' ~ 'ss__'] }}",
    "a class by a map": "{{ [name]|map(attribute='__class__')|list }}",
    "a class by format": "{{ '{0.__class__}'.format(name) }}",
    "a class by a format filter": "{{ '%s'|format(name.__class__) }}",
    "a class by a percent sign": "{{ '%(x)s' % name }}",
    "a class through a form": "{{ name.form.__init__.__globals__ }}",
    "a call": "{{ name() }}",
    "a global": "{{ cycler.__init__.__globals__.os }}",
    "the template itself": "{{ self._TemplateReference__context }}",
    "its own context": "{{ self }}",
    "a long text by multiplication": "{{ 'a' * 10**9 }}",
    "a large power": "{{ 9 ** 9 ** 9 ** 9 }}",
    "a filter that widens": "{{ name|center(10**9) }}",
    "a filter with a large argument": "{{ name|sentence(10**9) }}",
    "a filter with a starred argument": "{{ name|sentence(*name) }}",
    "a filter with named arguments": "{{ name|sentence(width=3) }}",
    "a file": "{% include '/etc/passwd' %}",
    "an import": "{% import 'os' as os %}",
    "an import of one name": "{% from 'os' import path %}",
    "a parent": "{% extends 'base' %}",
    "a macro": "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "a call block": "{% call name() %}{% endcall %}",
    "a set": "{% set a = name %}",
    "a namespace": "{% set a = namespace(b=1) %}",
    "a block": "{% block a %}{% endblock %}",
    "a filter block": "{% filter upper %}{{ name }}{% endfilter %}",
    "a statement of an extension": "{% do name.append(1) %}",
    "a number of five thousand digits": "{{ " + "9" * 5000 + " }}",
    "a hexadecimal number of five thousand digits": "{{ 0x" + "f" * 5000 + " }}",
    "brackets that open": "{{ " + "(" * 9000,
    "brackets in brackets": "{{ " + "(" * 5000 + "name" + ")" * 5000 + " }}",
    "lists in lists": "{{ " + "[" * 5000 + "]" * 5000 + " }}",
    "not not not": "{{ 'a' if " + "not " * 4000 + "name else 'b' }}",
    "minus minus minus": "{{ " + "-" * 9000 + "1 }}",
    "and and and": "{{ 'a' if " + "name and " * 1500 + "name else 'b' }}",
    "or or or": "{{ 'a' if " + "name or " * 200 + "name else 'b' }}",
    "else else else": "{{ " + "name if name else " * 900 + "name }}",
    "filters on filters": "{{ name" + "|sentence" * 2000 + " }}",
    "some filters on filters": "{{ name" + "|sentence" * 150 + " }}",
    "forms of forms": "{{ name" + ".a" * 9000 + " }}",
    "conditions in conditions": "{% if name %}" * 700 + "a" + "{% endif %}" * 700,
    "some conditions in conditions": "{% if name %}" * 90 + "a" + "{% endif %}" * 90,
    "conditions behind brackets that close": "{% if name %})" * 500 + "a" + "{% endif %}" * 500,
    "a lone surrogate": '{{ "\\ud800" }}' + ALL,
    "a comparison of a word and a number": "{{ 'a' if name < 3 else 'b' }}",
    "a search in a number": "{{ 'a' if name in 3 else 'b' }}",
    "a filter on a number": "{{ 3|sentence }}{{ name }}",
    "a filter on a list": "{{ [name]|sentence }}",
    "a filter on nothing": "{{ none|sentence }}{{ name }}",
}


@pytest.mark.parametrize("text", REACHING.values(), ids=REACHING.keys())
def test_a_template_that_reaches_out_of_its_cage(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = faults(write(tmp_path, template(f"{ALL} {text}")), capsys, monkeypatch)
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"{A_TEMPLATE}:")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP = "- id: diep\n  note: " + "[" * 500 + "\n"
DEEPER = "- id: diep\n  note: " + "[" * 100_000 + "\n"
FILES = {
    "a YAML bomb": (A_TEMPLATE, BOMB, "yaml-alias"),
    "a YAML that holds itself": (A_TEMPLATE, "- &a [*a]\n", "yaml-alias"),
    "a YAML merge": (A_TEMPLATE, "- &a {id: x}\n- {<<: *a}\n", "yaml-alias"),
    "a deep YAML": (A_TEMPLATE, DEEP, "yaml-depth"),
    "a deeper YAML": (A_TEMPLATE, DEEPER, "yaml"),
    "a YAML deep by dashes": (A_TEMPLATE, "- " * 5000 + "x\n", "yaml-depth"),
    "a YAML of another program": (A_TEMPLATE, "- !!python/object/apply:os.system ['true']\n", "bad-value"),
    "a YAML of two documents": (A_TEMPLATE, "- id: a\n---\n- id: b\n", "yaml"),
    "a YAML with a key that is a list": (A_TEMPLATE, "- [a, b]: c\n", "yaml"),
    "a YAML with a very long key": (
        A_TEMPLATE,
        f"- id: a\n  slots: {{}}\n  text: x\n  {'a' * 900}: c\n",
        "unknown-key",
    ),
    "a YAML with half a character": (A_TEMPLATE, '- id: "\\ud800"\n', "yaml"),
    "a YAML with tabs": (A_TEMPLATE, "-\tid: a\n\ttext: b\n", "yaml"),
    "a template of ten megabytes": (A_TEMPLATE, "- id: a\n  text: " + "a" * 10_000_000, "file-size"),
    "a text of a megabyte": (A_TEMPLATE, "- id: a\n  slots: {}\n  text: " + "a" * 900_000, "bad-value"),
    "an id that climbs": (A_TEMPLATE, '- id: "../../evil"\n  slots: {}\n  text: x\n', "bad-value"),
    "an id that climbs later": (A_TEMPLATE, '- id: "a/../../evil"\n  slots: {}\n  text: x\n', "bad-value"),
    "an absolute id": (A_TEMPLATE, '- id: "/etc/evil"\n  slots: {}\n  text: x\n', "bad-value"),
    "an id with a backslash": (A_TEMPLATE, "- id: 'a\\..\\evil'\n  slots: {}\n  text: x\n", "bad-value"),
    "a very long id": (A_TEMPLATE, f"- id: {'a' * 5000}\n  slots: {{}}\n  text: x\n", "bad-value"),
    "an id with a control character": (A_TEMPLATE, '- id: "a\\0b"\n  slots: {}\n  text: x\n', "bad-value"),
    "a slot named like a class": (A_TEMPLATE, "- id: a\n  slots: {__class__: names}\n  text: x\n", "bad-value"),
    "a filter of lists in lists": (
        A_TEMPLATE,
        "- id: a\n  slots: {name: {from: names, gender: [[m]]}, identity: identities}\n"
        "  text: '{{ name }} {{ identity.adjective }}'\n",
        "bad-value",
    ),
    "a filter that is a mapping": (
        A_TEMPLATE,
        "- id: a\n  slots: {name: {from: names, gender: {m: f}}, identity: identities}\n"
        "  text: '{{ name }} {{ identity.adjective }}'\n",
        "bad-value",
    ),
    "words that are lists": (
        A_TEMPLATE,
        "- id: a\n  slots: {name: [a, [b]], identity: identities}\n  text: '{{ name }} {{ identity.adjective }}'\n",
        "bad-value",
    ),
    "a dataset that is a list": ("templates/small/dataset.yaml", "- a\n- b\n", "bad-value"),
    "a dataset that is a word": ("templates/small/dataset.yaml", "pairs\n", "bad-value"),
    "a dataset that is empty": ("templates/small/dataset.yaml", "", "bad-value"),
    "a dataset that is a comment": ("templates/small/dataset.yaml", "# later\n", "bad-value"),
    "a dataset without its keys": ("templates/small/dataset.yaml", "family: pairs\n", "missing-key"),
    "a dataset of no family": ("templates/small/dataset.yaml", "family: x\nlanguage: nl\ntitle: x\n", "family"),
    "a language that climbs": (
        "templates/small/dataset.yaml",
        "family: pairs\nlanguage: ../../../etc\ntitle: x\n",
        "bad-value",
    ),
    "a prompt that climbs": (
        "templates/small/dataset.yaml",
        "family: pairs\nlanguage: nl\ntitle: x\nsampling: {keep: 0}\n",
        "bad-value",
    ),
    "a cell of a megabyte": (NAMES, f"id;gender;form\ndaan;m;{'a' * 1_000_000}\n", "long-cell"),
    "a quote that never closes": (NAMES, 'id;gender;form\ndaan;m;"Daan\n' + "x;m;x\n" * 100_000, "csv"),
    "a table of a million columns": (NAMES, "id" + ";a" * 1_000_000 + "\n", "cells"),
    "a table with a column of a long name": (NAMES, f"id;{'a' * 5000};form\n", "unknown-column"),
    "a row of a million cells": (NAMES, "id;gender;form\n" + "a;" * 1_000_000 + "\n", "cells"),
    "an id in a table that climbs": (NAMES, "id;gender;form\n../daan;m;Daan\n", "bad-value"),
    "a NUL in a table": (NAMES, "id;gender;form\ndaan;m;Da\0an\n", "encoding"),
    "a NUL in a template": (A_TEMPLATE, "- id: a\0b\n", "encoding"),
    "a table of one line without end": (NAMES, "a" * 10_000_000, "long-cell"),
}


@pytest.mark.parametrize(("path", "text", "code"), FILES.values(), ids=FILES.keys())
def test_a_file_that_nobody_meant_to_be_read(
    path: str, text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = faults(write(tmp_path, {**PAIRS, path: text}), capsys, monkeypatch, "build")
    mine = [line for line in lines if line.startswith(f"{path}:") or "contrapar" in line]
    assert len(mine) in (1, 2), lines
    assert f": error {code}: " in mine[0]


def binary_table(root: Path) -> None:
    (root / NAMES).write_bytes(bytes(range(256)) * 4000)


def binary_template(root: Path) -> None:
    (root / A_TEMPLATE).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100)


def half_a_character(root: Path) -> None:
    (root / A_TEMPLATE).write_bytes(b"- id: \xed\xa0\x80\n")


def link_out(root: Path) -> None:
    (root / NAMES).unlink()
    (root / NAMES).symlink_to("/etc/passwd")


def link_to_zeros(root: Path) -> None:
    (root / NAMES).unlink()
    (root / NAMES).symlink_to("/dev/zero")


def link_up(root: Path) -> None:
    (root.parent / "names.csv").write_text("id;form\nx;X\n")
    (root / NAMES).unlink()
    (root / NAMES).symlink_to("../../../names.csv")


def link_to_itself(root: Path) -> None:
    (root / NAMES).unlink()
    (root / NAMES).symlink_to("names.csv")


def link_to_nothing(root: Path) -> None:
    (root / NAMES).unlink()
    (root / NAMES).symlink_to("nothing.csv")


def links_in_a_ring(root: Path) -> None:
    (root / A_TEMPLATE).unlink()
    (root / A_TEMPLATE).symlink_to("b.yaml")
    (root / "templates/small/b.yaml").symlink_to("a.yaml")


def folder_of_lexicons_outside(root: Path) -> None:
    (root / "lexicons").rename(root.parent / "elsewhere")
    (root / "lexicons").symlink_to("../elsewhere")


def dataset_outside(root: Path) -> None:
    (root / "templates/small/dataset.yaml").rename(root.parent / "dataset.yaml")
    (root / "templates/small/dataset.yaml").symlink_to("../../../dataset.yaml")


def dataset_linked_to_itself(root: Path) -> None:
    (root / "templates/small/dataset.yaml").unlink()
    (root / "templates/small/dataset.yaml").symlink_to("dataset.yaml")


def folder_like_a_table(root: Path) -> None:
    (root / NAMES).unlink()
    (root / NAMES).mkdir()


def folder_like_a_template(root: Path) -> None:
    (root / "templates/small/b.yaml").mkdir()


def folder_like_a_dataset(root: Path) -> None:
    (root / "templates/small/dataset.yaml").unlink()
    (root / "templates/small/dataset.yaml").mkdir()


def pipe_like_a_table(root: Path) -> None:
    (root / NAMES).unlink()
    os.mkfifo(root / NAMES)


def name_in_other_letters(root: Path) -> None:
    (root / os.fsdecode(b"lexicons/nl/n\xffmes.csv")).write_text("id;form\nx;X\n")


def name_of_two_lines(root: Path) -> None:
    (root / "lexicons/nl/names\n::error::x.csv").write_text("id;form\nx;X\n")


def no_rights(root: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("whoever runs the tests may read every file")
    (root / NAMES).chmod(0)


def no_templates(root: Path) -> None:
    (root / A_TEMPLATE).unlink()


def templates_of_another_ending(root: Path) -> None:
    (root / A_TEMPLATE).rename(root / "templates/small/a.yml")


def nothing_at_all(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file():
            path.unlink()


ON_DISK = {
    binary_table: f"{NAMES}:2: error encoding: ",
    binary_template: f"{A_TEMPLATE}:1: error encoding: ",
    half_a_character: f"{A_TEMPLATE}:1: error encoding: ",
    link_out: f"{NAMES}: error link: ",
    link_to_zeros: f"{NAMES}: error link: ",
    link_up: f"{NAMES}: error link: ",
    link_to_itself: f"{NAMES}: error file: ",
    link_to_nothing: f"{NAMES}: error file: ",
    links_in_a_ring: f"{A_TEMPLATE}: error file: ",
    folder_of_lexicons_outside: f"{NAMES}: error link: ",
    dataset_outside: "templates/small/dataset.yaml: error link: ",
    dataset_linked_to_itself: ("contrapar: ", "templates/small/dataset.yaml: error file: "),  # before and since 3.13
    folder_like_a_table: f"{NAMES}: error file: ",
    folder_like_a_template: "templates/small/b.yaml: error file: ",
    folder_like_a_dataset: "templates/small/dataset.yaml: error file: ",
    pipe_like_a_table: f"{NAMES}: error file: ",
    name_in_other_letters: "lexicons/nl/n",
    name_of_two_lines: "lexicons/nl/names",
    no_rights: f"{NAMES}: error file: ",
    no_templates: "templates/small/dataset.yaml:1:1: error no-templates: ",
    templates_of_another_ending: "templates/small/a.yml: error ",
    nothing_at_all: "contrapar: ",
}


@pytest.mark.parametrize(("spoil", "line"), ON_DISK.items(), ids=[spoil.__name__ for spoil in ON_DISK])
def test_what_lies_on_the_disk(
    spoil: Callable[[Path], None],
    line: str | tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = write(tmp_path / "own", PAIRS)
    spoil(root)
    lines = faults(root, capsys, monkeypatch, "build")
    assert sum(told.startswith(line) for told in lines) == 1, lines


def test_a_fault_that_only_the_rows_show_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "{{ name }} is {{ identity.adjective }}.. en {{ predicate.sg }}"
    lines = faults(write(tmp_path, template(text)), capsys, monkeypatch, "build")
    assert any("double-punctuation" in line for line in lines)


@pytest.mark.slow
def test_hundreds_of_templates_are_nothing_special(tmp_path: Path) -> None:
    one = (
        "- id: sjabloon-{0}\n  slots: {{name: names, identity: identities, predicate: predicates}}\n"
        "  agree: [[name.gender, identity.gender], [predicate.groups, identity.id]]\n"
        '  text: "Op dag {0} is {{{{ name }}}} {{{{ identity.adjective }}}} en {{{{ predicate.sg }}}}."\n'
    )
    many = {f"templates/small/m{n}.yaml": "".join(map(one.format, range(n, n + 400))) for n in (0, 400)}
    started = process_time()
    chain = check(str(write(tmp_path, {**PAIRS, **many})))
    assert chain.problems(complete=True) == []
    assert len(chain.templates) == 802
    assert process_time() - started < 60


def test_hundreds_of_faults_are_told_in_bounded_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"n{n};orientation;target;mis{n}|mis{n + 1};;a{n};b{n}\n" for n in range(300))
    root = write(tmp_path, {**PAIRS, "lexicons/nl/identities.csv": PAIRS["lexicons/nl/identities.csv"] + rows})
    monkeypatch.chdir(root)
    code, lines = told(root, capsys)
    assert code == 1
    assert sum(": error unknown-contrast: " in line for line in lines) == 600


@pytest.mark.parametrize(
    ("verb", "text"),
    [("check", "{{ name.__class__ }}"), ("build", "{{ 'a' * 10**9 }}"), ("check", "{{ " + "(" * 9000)],
    ids=["a class", "a long text", "brackets"],
)
def test_the_same_through_a_process_of_its_own(verb: str, text: str, tmp_path: Path, contrapar: Run) -> None:
    root = write(tmp_path, template(text))
    before = listing(root)
    done = contrapar(verb, root)
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line for line in done.stdout.splitlines() if ": error " in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"{A_TEMPLATE}:5:")
    assert listing(root) == before


@pytest.mark.parametrize(
    "written",
    [
        "agree: [[name.WORD, identity.gender]]",
        "agree: [[WORD.gender, identity.gender]]",
        "stereotype: 'WORD WORD'",
        "direction: WORD",
        "together: [{WORD: x}, {name: daan}]",
        "together: [{name: WORD}]",
    ],
)
def test_a_word_of_a_megabyte_is_not_repeated(
    written: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = template(ALL)
    lines = [line for line in files[A_TEMPLATE].splitlines() if "agree" not in line]
    lines.insert(1, f"  {written.replace('WORD', 'a' * 400_000)}")
    root = write(tmp_path, {**PAIRS, A_TEMPLATE: "\n".join(lines) + "\n"})
    monkeypatch.chdir(root)
    with pytest.raises(SystemExit) as stopped, bounded():
        main(["check", str(root)])
    assert stopped.value.code == 1
    out = capsys.readouterr().out
    assert all(len(line) < 1_300 for line in out.splitlines())
