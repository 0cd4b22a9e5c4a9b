"""Builds beside the plain way, in one run: `python -m benchmarks.build`.

The real templates of `identiteit`, with its lexicons and more names than anyone needs. Measured side by side:
a loop that does nothing but `template.render` (two sentences a pair), a loop of `str.format` with every word
looked up beforehand, and the whole chain (read, expand, check, write Parquet). Rows a second and peak memory.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jinja2 import Environment, StrictUndefined

SOURCE = "identiteit"


def enlarged(root: Path, names: int) -> Path:
    """A copy of the dataset whose lexicon of names has so many more entries."""
    from contrapar.builder.sources import PACKAGE

    shutil.copytree(PACKAGE / "templates" / SOURCE, root / "templates" / SOURCE)
    shutil.copytree(PACKAGE / "lexicons" / "nl", root / "lexicons" / "nl")
    table = root / "lexicons" / "nl" / "names.csv"
    head, *lines = table.read_text(encoding="utf-8").splitlines()
    columns = head.split(";")
    made = []
    for number in range(names):
        cells = dict(zip(columns, lines[number % len(lines)].split(";"), strict=False))
        cells["id"], cells["form"] = f"{cells['id']}-{number}", f"{cells['form']}{_letters(number)}"
        made.append(";".join(cells.get(column, "") for column in columns))
    table.write_text("\n".join([head, *lines, *made]) + "\n", encoding="utf-8")
    return root


def _letters(number: int) -> str:
    return "".join("bdfgklmnprstvz"[int(digit, 14)] for digit in _base14(number))


def _base14(number: int) -> str:
    digits = "0123456789abcd"
    out = ""
    while number or not out:
        number, rest = divmod(number, 14)
        out = digits[rest] + out
    return out


class Word(dict[str, object]):
    """An entry as a plain script would have it: attributes, and its bare form as text."""

    __getattr__ = dict.__getitem__

    def __str__(self) -> str:
        return str(self[""])


def _pairs(root: Path, most: int) -> list[tuple[str, dict[str, Word], dict[str, Word]]]:
    """(template source, words of the target's sentence, words of the other's) of a spread of combinations."""
    from contrapar.builder.build import prepare
    from contrapar.builder.schema import Entry

    def word(entry: Entry) -> Word:
        made = Word({"": entry.form.get("", ""), "gender": "|".join(entry.gender), "number": "|".join(entry.number)})
        for form, text in entry.form.items():
            place = made
            *above, last = form.split(".")
            for step in above:
                place = place.setdefault(step, Word())  # type: ignore[assignment]
            place[last] = text
        return made

    chain = prepare(str(root))
    found = []
    for plan in chain.plans:
        words = {slot: [word(entry) for entry in entries] for slot, entries in plan.filled.entries.items()}
        rows, _ = next(plan.blocks())
        for row in rows[:: max(len(rows) * len(chain.plans) // most, 1)]:
            target = {slot: words[slot][row[plan.filled.home[slot]]] for slot in words}
            other = {**target, plan.template.contrast: target["other"]}
            found.append((plan.template.text, target, other))
    return found


def bare_jinja(root: Path) -> float:
    """Pairs a second of `template.render` alone, compiled once."""
    from contrapar.builder.languages import language

    environment = Environment(undefined=StrictUndefined)
    environment.filters.update(language("nl").filters)
    pairs = _pairs(root, 20_000)
    compiled = {text: environment.from_string(text) for text, _, _ in pairs}
    start = time.perf_counter()
    for text, target, other in pairs:
        template = compiled[text]
        template.render(target)
        template.render(other)
    return len(pairs) / (time.perf_counter() - start)


def str_format(root: Path) -> float:
    """Pairs a second of `str.format` alone, over templates that have no condition and no filter."""
    import re

    pairs = []
    for text, target, other in _pairs(root, 60_000):
        if "{%" in text or "|" in text:
            continue
        names = re.findall(r"\{\{\s*([\w.]+)\s*\}\}", text)
        pattern = re.sub(r"\{\{\s*([\w.]+)\s*\}\}", lambda m: "{" + m[1].replace(".", "_") + "}", text)

        def flat(words: dict[str, Word], names: list[str] = names) -> dict[str, str]:
            out = {}
            for name in names:
                value: object = words
                for step in name.split("."):
                    value = value[step]  # type: ignore[index]
                out[name.replace(".", "_")] = str(value)
            return out

        pairs.append((pattern, flat(target), flat(other)))
    start = time.perf_counter()
    for pattern, one, two in pairs:
        pattern.format(**one)
        pattern.format(**two)
    return len(pairs) / (time.perf_counter() - start)


def chain(root: Path) -> tuple[int, float, float]:
    """Rows, seconds and peak memory (MiB) of the whole chain, in a process of its own."""
    code = (
        "import sys, resource\n"
        "from pathlib import Path\n"
        "from contrapar.builder.build import build\n"
        "built = build(sys.argv[1], Path(sys.argv[2]))\n"
        "print(built.manifest['rows'], built.seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-c", code, str(root), str(Path(out) / "built")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    rows, seconds, memory = done.stdout.split()
    return int(rows), float(seconds), float(memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", type=int, nargs="+", default=[500, 5000], help="extra names a run")
    parser.add_argument("--profile", action="store_true", help="show where the time of the chain goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        roots = [enlarged(Path(folder) / str(number), number) for number in options.names]
        small = roots[0]
        jinja = bare_jinja(small)
        plain = str_format(small)
        print(f"{'what':<28} {'pairs':>12} {'pairs/s':>12} {'x bare Jinja':>12} {'peak MiB':>9}")
        print(f"{'bare template.render':<28} {'':>12} {jinja:>12,.0f} {1:>12.1f} {'':>9}")
        print(f"{'bare str.format':<28} {'':>12} {plain:>12,.0f} {plain / jinja:>12.1f} {'':>9}")
        for root in roots:
            rows, seconds, memory = chain(root)
            speed = rows / seconds
            print(f"{'expand, check, write':<28} {rows:>12,} {speed:>12,.0f} {speed / jinja:>12.1f} {memory:>9,.0f}")
        if options.profile:
            from contrapar.builder.build import build

            profile = cProfile.Profile()
            profile.runcall(build, str(small), Path(folder) / "profiled")
            pstats.Stats(profile).sort_stats("tottime").print_stats(20)


if __name__ == "__main__":
    main()
