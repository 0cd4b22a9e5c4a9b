"""Row rules beside the plain way, in one run: `python -m benchmarks.audit`.

First what it costs to look whether a clean text of about 80 characters needs a closer look: the combined pattern of
all text rules, beside a pattern of one class of characters, and beside Python's `re` with that one class.
Then a whole audit of made tables beside `csv.DictReader`, which does nothing but read them. Seconds are of the
processor, the least of several runs, so that a busy machine spoils them less.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

WORDS = ["baker", "sings", "near", "river", "while", "Lyon", "reads", "long", "letter", "children", "garden", "winter"]


def sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words)).capitalize() + "."


def least(run: Callable[[], object], times: int = 5) -> float:
    """Seconds of the processor that the quickest of several runs took."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


def texts(count: int) -> None:
    from contrapar.builder.checks import suspect
    from contrapar.builder.languages import KNOWN, language

    chance = random.Random(1)
    made = [sentence(chance, 12) for _ in range(count)]
    column = pa.array(made)
    one = re.compile("[{}]")
    print(f"{count:,} clean texts of {sum(map(len, made)) / count:.0f} characters; microseconds a text")
    print(f"  Python's re, one class      {1e6 * least(lambda: [one.search(text) for text in made]) / count:6.3f}")
    print(f"  RE2, one class              {1e6 * least(lambda: pc.match_substring_regex(column, '[{}]')) / count:6.3f}")
    for code in ("und", *KNOWN):
        pattern = suspect(language(code))
        seconds = least(partial(pc.match_substring_regex, column, pattern))
        print(f"  RE2, all text rules, {code:<6} {1e6 * seconds / count:6.3f}")


def tables(folder: Path, count: int) -> list[Path]:
    """A table of each family: every text is another, nothing is wrong with them."""
    from contrapar.builder.checks.balance import ROLES, VALUES
    from contrapar.builder.checks.qa import TEXTS

    chance = random.Random(2)
    pairs, qa = folder / "pairs.csv", folder / "qa.csv"
    with pairs.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["target", "other", "direction", "sent_target", "sent_other"])
        for number in range(count):
            said = f"{number} {sentence(chance, 12)}"
            table.writerow(["bakers", "sailors", "stereo", f"Bakers {said}", f"Sailors {said}"])
    with qa.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([*VALUES, *TEXTS, "label", *ROLES, "target_group", "other_group"])
        for number in range(count):
            places = [(number + turn) % 3 for turn in range(3)]
            answers = ["", "", ""]
            for place, text in zip(places, ("The baker", "The sailor", "Not known"), strict=True):
                answers[place] = text
            gold = places[2] if number % 3 == 0 else places[number // 3 % 2]
            kind = ["disambig" if number % 3 else "ambig", "neg" if number // 3 % 4 < 2 else "nonneg"]
            context, question = f"{sentence(chance, 25)} {number}.", f"Who {sentence(chance, 5).lower()}?"
            table.writerow([*kind, context, question, *answers, gold, *places, "baker", "sailor"])
    return [pairs, qa]


def read(path: Path) -> int:
    with path.open(newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.DictReader(file))


def audits(count: int) -> None:
    from contrapar.builder.audit import audit

    with tempfile.TemporaryDirectory() as folder:
        for path in tables(Path(folder), count):
            plain = least(partial(read, path), 2)
            whole = least(partial(audit, path, code="en"), 2)
            print(
                f"{path.name}: {count:,} rows, {path.stat().st_size / 1e6:.0f} MB: csv.DictReader {plain:.2f} s, "
                f"audit {whole:.2f} s ({count / whole:,.0f} rows a second, {whole / plain:.1f} times as long)"
            )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    texts(rows)
    audits(rows)


if __name__ == "__main__":
    main()
