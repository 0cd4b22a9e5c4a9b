"""A new dataset, stereotype, lexicon or language: skeletons that are valid, or whose gaps `check` tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from .families import FAMILIES, TEMPLATE_MODELS
from .forms_used import forms_used
from .json_schema import DATASET, TEMPLATES, schema_of
from .problems import UsageError, nearest
from .schema import CODE, ID, KINDS, Entry, Stereotype
from .skeleton_files import TEXTS, append_row, example, fill, listing, quoted, raw, table, write_all
from .sources import PACKAGE, Sources, dataset_folder, read_sources, root_of

SCHEMAS = ".schemas"
STEREOTYPES = "stereotypes.csv"
GUIDE = "docs/authoring.md in the repository"
_NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
_FIRST_TABLES = ("identities", "names", "unknown")
_MADE_UP = "Made up, to show how a dataset is written"


def new_dataset(
    folder: Path, *, name: str | None = None, family: str = "qa", language: str = "en", title: str | None = None
) -> list[Path]:
    """A dataset in a folder of one's own, with an example that builds; or one more in a folder that has some.

    Raises UsageError, and writes nothing, where a file is there already.
    """
    if family not in FAMILIES:
        raise UsageError(f"{family!r} is no family; {nearest(family, FAMILIES)}")
    _known_code(language)
    name = name or folder.resolve().name
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a dataset; choose one with --name, such as my-dataset")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder")
    title = " ".join((title or "").split()) or re.sub("[_-]", " ", name).capitalize()
    home = folder / "templates" / name
    if home.exists():
        raise UsageError(f"{home}: is there already; choose another name with --name")
    begun = any(folder.glob("templates/*/dataset.yaml"))
    schemas = {} if begun and not (folder / SCHEMAS).is_dir() else _schemas(folder, family)
    files = {
        home / "dataset.yaml": fill(
            "dataset.yaml",
            family=family,
            language=language,
            title=quoted(title),
            canary=f"contrapar:{name}:{uuid4()}",
            schema_line=_schema_line(DATASET) if schemas else "",
        ),
        home / STEREOTYPES: table(list(Stereotype.model_fields)),
    }
    if not begun:
        files |= _example(folder, home, family, language)
        files[folder / "README.md"] = fill("README.md", title=title, name=name, language=language)
        files[folder / ".gitignore"] = raw("gitignore")
        files[folder / ".github" / "workflows" / "check.yml"] = raw("check.yml")
    files |= {path: text for path, text in schemas.items() if not path.exists()}
    return write_all(files)


def _example(folder: Path, home: Path, family: str, language: str) -> dict[Path, str]:
    """One stereotype, one template and the two entries that fill it."""
    words = example(language)
    lexicons = folder / "lexicons" / language
    stereotype = {"id": f"{language}/example/late", "axis": "example", "text": words["stereotype"]}
    entries = [
        {"id": f"example-{role}", "axis": "example", "role": role, "form": word}
        for role, word in zip(("target", "other"), words["entries"], strict=True)
    ]
    entries[0]["contrast"] = entries[1]["id"]
    filled = {
        **{key: quoted(value) for key, value in words.items()},
        "family": family,
        "language": language,
        "lexicons": f"lexicons/{language}",
        "schema_line": _schema_line(f"{TEMPLATES}{family}"),
    }
    text = fill(f"{family}/example.yaml", **filled)
    named = [stereotype] if stereotype["id"] in text else []
    files = {
        home / STEREOTYPES: table(list(Stereotype.model_fields), _made_up(named)),
        home / "example.yaml": text,
    }
    for path in sorted((TEXTS / family).glob("*.csv")):
        files[lexicons / path.name] = fill(f"{family}/{path.name}", **filled)
    if "from: identities" in text:
        files[lexicons / "identities.csv"] = table(_columns("identities", [""]), _made_up(entries))
    bundled = PACKAGE / "lexicons" / language.split("-")[0] / "unknown.csv"
    if "unknown" in FAMILIES[family].TEMPLATE.model_fields and not bundled.is_file():
        unknown = [{"id": f"unknown-{number}", "form": text} for number, text in enumerate(words["unknown"], 1)]
        files[lexicons / "unknown.csv"] = table(_columns("unknown", [""]), _made_up(unknown))
    return files


def _made_up(rows: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    return ({**row, "source": _MADE_UP, "state": "draft"} for row in rows)


def new_stereotype(dataset: str, id: str) -> list[Path]:
    """A row of stereotypes.csv, and a file with a template for it.

    Raises UsageError, and writes nothing, where the stereotype or the template is there already.
    """
    sources = read_sources(dataset, TEMPLATE_MODELS)
    model = sources.dataset.model
    parts = id.split("/")
    if len(parts) != 3 or parts[0] != model.language or not ID.fullmatch(id) or ".." in id or id != id.lower():
        raise UsageError(f"{id!r} is no id of a stereotype here; write {model.language}/AXIS/NAME in small letters")
    if id in sources.stereotypes:
        place = sources.stereotype_places[id]
        raise UsageError(f"{id!r} is in {place.path} already, line {place.line}; choose another name")
    _, axis, name = parts
    template = f"{axis}-{name}"
    if any(written.model.id == template for written in sources.templates):
        raise UsageError(f"there is a template {template!r} already; choose another name")
    stereotypes = sources.folder / STEREOTYPES
    said = "{One sentence that says the stereotype, as one would hear it}"
    row = {"id": id, "axis": axis, "text": said, "source": "", "state": "draft"}
    text = fill(
        f"{model.family}/template.yaml",
        id=template,
        stereotype=id,
        axis=axis,
        family=model.family,
        form=_usual_form(sources),
        schema_line=_schema_line(f"{TEMPLATES}{model.family}") if (root_of(sources.folder) / SCHEMAS).is_dir() else "",
    )
    files = {
        stereotypes: append_row(stereotypes, list(Stereotype.model_fields), row, ("id", "axis", "text")),
        sources.folder / f"{template}.yaml": text,
    }
    return write_all(files, replace=[stereotypes])


def _usual_form(sources: Sources) -> str:
    """How a template names a group: bare where the lexicon has bare forms, else by a form that all entries have."""
    lexicon = sources.lexicon("identities")
    shared = set.intersection(*(set(entry.form) for entry in lexicon.entries.values())) if lexicon else set()
    return f".{min(shared)}" if shared and "" not in shared else ""


def new_lexicon(kind: str, language: str | None = None, dataset: str | None = None) -> list[Path]:
    """A table of a kind with its columns, and those forms that templates of its language use already."""
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of lexicon; {nearest(kind, KINDS)}")
    root, meant = _root(dataset)
    if language is None:
        if meant is None:
            raise UsageError("of which language? name a dataset with --dataset, or a language with --language")
        language = read_sources(str(meant), TEMPLATE_MODELS).dataset.model.language
    _known_code(language)
    path = root / "lexicons" / language / f"{kind}.csv"
    return write_all({path: table(_columns(kind, forms_used(root, language, kind)))})


def new_language(code: str, dataset: str | None = None) -> list[Path]:
    """The tables that a language needs first: wordings of the unknown answer to translate, and empty heads."""
    _known_code(code)
    root, _ = _root(dataset)
    folder = root / "lexicons" / code
    files: dict[Path, str] = {}
    for kind in _FIRST_TABLES:
        path = folder / f"{kind}.csv"
        if not path.exists():
            rows = _to_translate() if kind == "unknown" else ()
            files[path] = table(_columns(kind, forms_used(root, code, kind)), rows)
    if not files:
        raise UsageError(f"{folder}: has its first tables; `contrapar new lexicon KIND --language {code}` adds one")
    return write_all(files)


def _to_translate() -> Iterator[dict[str, str]]:
    for number, text in enumerate(example("en")["unknown"], 1):
        yield {"id": f"unknown-{number}", "state": "draft", "note": f"in English: {text}"}


def next_steps(paths: list[Path]) -> list[str]:
    """What to do with what was written, a line each."""
    names = {path.name: path for path in paths}
    first = paths[0]
    if "dataset.yaml" in names:
        steps = _after_dataset(names["dataset.yaml"].parent, with_example="example.yaml" in names)
    elif STEREOTYPES in names:
        stereotypes = names[STEREOTYPES]
        line = len(stereotypes.read_text(encoding="utf-8").splitlines())
        template = next(path for path in paths if path != stereotypes)
        steps = [
            f"next: say it in a sentence, and say where it is documented: {stereotypes}, line {line}",
            f"then: replace what stands in {{braces}}: {template}",
            f"then: contrapar check {stereotypes.parent}",
        ]
    elif len(paths) > 1:
        code, root = first.parent.name, first.parent.parent.parent
        steps = [
            f"next: translate what is empty in the column `form`: {first.parent / 'unknown.csv'}",
            f"then: add groups of people, in any spreadsheet: {first.parent / 'identities.csv'}",
            f"then: contrapar new dataset {root} --language {code} --name NAME",
        ]
        if not (PACKAGE / "builder" / "languages" / f"{code}.py").is_file():
            module = f"builder/languages/{code}.py"
            steps.append(f"only if words change where they meet (a + el -> al): {module}; all else works without it")
    else:
        steps = [
            f"next: add rows, in any spreadsheet: {first}",
            f"what each column means: contrapar schema {first.stem}",
        ]
    guide = PACKAGE / "docs" / "authoring.md"  # where there is a checkout
    return [*steps, f"how to write well: {guide if guide.is_file() else GUIDE}"]


def _after_dataset(home: Path, with_example: bool) -> list[str]:
    root = home.parent.parent
    shown = root if len(list(root.glob("templates/*/dataset.yaml"))) == 1 else home
    language = re.search(r"^language: (\S+)", (home / "dataset.yaml").read_text(encoding="utf-8"), re.MULTILINE)
    begin = f"contrapar new stereotype {shown} {language[1] if language else 'LANGUAGE'}/AXIS/NAME"
    if not with_example:
        return [f"next: {begin}", f"then: contrapar check {shown}", f"then: contrapar build {shown}"]
    return [f"next: contrapar check {shown}", f"then: contrapar build {shown}", f"then: {begin}"]


def _known_code(language: str) -> None:
    if not CODE.fullmatch(language):
        raise UsageError(f"{language!r} is no language code; write such as es, or es-CO")


def _root(dataset: str | None) -> tuple[Path, Path | None]:
    """The folder that holds `lexicons/`, and the dataset that is meant, where it can be only one."""
    if dataset is not None:
        folder = dataset_folder(dataset)
        root = root_of(folder)
        return (root.relative_to(Path.cwd()) if root.is_relative_to(Path.cwd()) else root), folder
    here = Path()
    if (here / "dataset.yaml").is_file():
        return _root(".")
    inside = sorted(path.parent for path in here.glob("templates/*/dataset.yaml"))
    if not inside:
        raise UsageError("there is no dataset in this folder; name one with --dataset")
    return here, inside[0] if len(inside) == 1 else None


def _columns(kind: str, forms: list[str]) -> list[str]:
    """The columns of a table: what is its own, what all have, its forms, and what editors need."""
    last = ["source", "state", "note"]
    own = [name for name in KINDS[kind].model_fields if name not in Entry.model_fields]
    shared = [name for name in Entry.model_fields if name not in ("id", "form", *last)]
    named = [f"form.{form}" if form else "form" for form in forms or [""]]
    return ["id", *own, *shared, *named, *last]


def _schemas(folder: Path, family: str) -> dict[Path, str]:
    """The schemas from which an editor completes, beside the dataset."""
    kinds = (DATASET, f"{TEMPLATES}{family}")
    return {folder / SCHEMAS / f"{kind}.json": listing(schema_of(kind)) for kind in kinds}


def _schema_line(kind: str) -> str:
    return f"# yaml-language-server: $schema=../../{SCHEMAS}/{kind}.json\n"
