"""Every rule on sources: one bad dataset named after it that it finds, and one good one that it leaves alone.

A file of `tests/sources` is files, each under a line `=== path`, laid over one of the small datasets: they take
the place of its files, or with `=== +path` are added to the end of them. Before the first of them stand:

    # over: pairs                        which small dataset
    # expect: PATH:LINE:COLUMN CODE      every finding there must be, and no other; the message may follow
    # long: WORD 10001                   this word stands for so many letters
    # latin-1: PATH                      the encoding of a file
    # folder: PATH                       there is a folder of this name
    # link: PATH -> TARGET               and a link
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import sectioned, write
from contrapar.builder import sources
from contrapar.builder.chain import SOURCE_RULES, check
from contrapar.builder.problems import Problem, SourceFaults
from small import LEXICAL, PAIRS, QA

HERE = Path(__file__).parent
ROOT = HERE.parent
CASES = sorted((HERE / "sources").glob("*.txt"))
# modules whose faults are of sources
TELLING = (
    "builder/sources.py", "builder/yaml_files.py", "builder/csv_files.py", "builder/render.py", "builder/filling.py",
    "builder/chain.py", "builder/families/plan.py", "builder/families/pairs.py", "builder/families/qa.py",
    "builder/families/lexical.py", "builder/checks/lexicons.py", "builder/checks/variants.py",
    "builder/checks/templates.py",
)  # fmt: skip
# told by what reads a text, which the model of a template refuses before it is read
UNREACHED = {"template-size"}
CODE = re.compile(r"[a-z]+(-[a-z]+)*")
DOCS = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8").partition("## Source rules")[2].split("\n## ")[0]
DOCUMENTED = dict(re.findall(r"^\| `([a-z-]+)` \| (error|warning) \|", DOCS, re.MULTILINE))


def directives(text: str, name: str) -> list[str]:
    head = text.split("\n=== ", 1)[0]
    return [line.removeprefix(f"# {name}:").strip() for line in head.splitlines() if line.startswith(f"# {name}:")]


def laid_out(case: Path, root: Path) -> Path:
    """The dataset of a case, below `root`."""
    text = case.read_text(encoding="utf-8")
    (over,) = directives(text, "over")
    files = dict({"lexical": LEXICAL, "pairs": PAIRS, "qa": QA}[over])
    for path, content in sectioned(text).items():
        for line in directives(text, "long"):
            word, size = line.split()
            content = content.replace(word, "a" * int(size))
        files[path.removeprefix("+")] = files[path[1:]] + content if path.startswith("+") else content
    write(root, files)
    for path in directives(text, "latin-1"):
        (root / path).write_text(files[path], encoding="latin-1")
    for path in directives(text, "folder"):
        (root / path).mkdir()
    for line in directives(text, "link"):
        path, target = line.split(" -> ")
        (root / path).unlink(missing_ok=True)
        (root / path).symlink_to(target)
    return root


@pytest.fixture(autouse=True)
def _no_bundled_lexicons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What these datasets have is all that they have."""
    monkeypatch.setattr(sources, "PACKAGE", tmp_path / "nothing")


def findings() -> list[Problem]:
    try:
        return check(".").problems(complete=True)
    except SourceFaults as faults:
        return faults.problems


@pytest.fixture
def found(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Problem]:
    root = laid_out(request.param, tmp_path / "own")
    monkeypatch.chdir(root)
    return findings()


def cases(kind: str) -> pytest.MarkDecorator:
    some = [case for case in CASES if case.name.endswith(f".{kind}.txt")]
    return pytest.mark.parametrize(("found", "case"), [(c, c) for c in some], ids=[c.name.split(".")[0] for c in some],
                                   indirect=["found"])  # fmt: skip


@cases("bad")
def test_a_fault_is_found_at_its_place_and_nothing_else(found: list[Problem], case: Path) -> None:
    expected = sorted(directives(case.read_text(encoding="utf-8"), "expect"))
    told = sorted(f"{problem.place} {problem.code}" for problem in found)
    assert told == [" ".join(line.split()[:2]).removesuffix(":") for line in expected], "\n".join(map(str, found))
    code = case.name.split(".")[0]
    assert {problem.severity for problem in found if problem.code == code} == {DOCUMENTED[code]}
    for line in expected:
        place, said, *message = line.split(maxsplit=2)
        assert any(
            str(problem.place) == place and problem.code == said.removesuffix(":") and "".join(message) in str(problem)
            for problem in found
        ), (line, [str(problem) for problem in found])


@cases("good")
def test_its_innocent_neighbour_is_left_alone(found: list[Problem], case: Path) -> None:
    code = case.name.split(".")[0]
    assert [str(problem) for problem in found if problem.code == code or problem.severity == "error"] == []


def test_no_file_is_without_its_fellow() -> None:
    names = {case.name for case in CASES}
    codes = {name.split(".")[0] for name in names}
    assert names == {f"{code}.{kind}.txt" for code in codes for kind in ("bad", "good")}


def test_every_rule_has_a_bad_and_a_good_file() -> None:
    codes = {case.name.split(".")[0] for case in CASES}
    for rule in SOURCE_RULES:
        assert rule.__name__.replace("_", "-") in codes
        assert rule.__doc__
        assert "\n" not in rule.__doc__.strip()


def test_every_code_that_can_be_told_has_a_bad_file() -> None:
    codes = {code for path in TELLING for code in told_codes(ROOT / path)}
    assert len(codes) > 50
    assert codes - UNREACHED == {case.name.split(".")[0] for case in CASES}


def test_the_documentation_lists_every_code() -> None:
    assert DOCUMENTED.keys() == {case.name.split(".")[0] for case in CASES} | UNREACHED


def test_a_waived_finding_is_not_told(tmp_path: Path) -> None:
    """The bad file with its waiver is as good as the good one."""
    for code in ("unsourced", "editorial-mark", "same-question", "normalised"):
        root = laid_out(HERE / "sources" / f"{code}.bad.txt", tmp_path / code)
        waiver = f"\nwaivers:\n- {{code: {code}, where: '*', reason: It is meant so.}}\n"
        dataset = root / "templates/small/dataset.yaml"
        dataset.write_text(dataset.read_text(encoding="utf-8") + waiver, encoding="utf-8")
        assert {p.code for p in check(str(root)).problems(complete=True)} & {code, "idle-waiver"} == set(), code


def told_codes(path: Path) -> Iterator[str]:
    """Codes in calls that make a fault: the first word in small letters where a call has its code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            at = {"Problem": (1,), "warning": (1,), "TemplateFault": (0,), "fault": (1, 2), "append": (0,)}
            values = [node.args[number] for number in at.get(called, ()) if number < len(node.args)]
            values = [value.elts[0] if isinstance(value, ast.Tuple) else value for value in values]
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            values = node.value.elts[:1]
        for value in values:
            said = value.value if isinstance(value, ast.Constant) else named.get(getattr(value, "id", ""))
            if isinstance(said, str) and CODE.fullmatch(said):
                yield said
                break
