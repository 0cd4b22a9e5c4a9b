"""What an audit found: every rule once, with its count and its rows; as text, as JSON, as CI annotations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .checks import Fault
from .problems import Place, Problem, Severity

FIRST_ROWS = 8
FIRST_MESSAGES = 3
LONGEST = 150


@dataclass
class Finding:
    """All that one rule found. `rows` are numbers of rows, from 0, each once; `messages` has the rows of each."""

    code: str
    severity: Severity
    mend: str
    messages: dict[str, set[int]] = field(default_factory=dict)
    rows: set[int] = field(default_factory=set)
    example: tuple[int, str, str] | None = None

    @property
    def common(self) -> list[tuple[str, int]]:
        """What was found, with how many rows, the most frequent first."""
        counts = [(message, len(rows)) for message, rows in self.messages.items()]
        return sorted(counts, key=lambda one: (-one[1], one[0]))


@dataclass
class Report:
    """The audit of one file. `lines` says where each row stands; `unit` whether as a line or as a row of a sheet.

    `told` says that the language was told from the words of the text.
    """

    path: str
    layout: str
    family: str
    language: str
    told: bool
    lines: Sequence[int]
    unit: str
    sheet: str = ""
    found: dict[str, Finding] = field(default_factory=dict)

    def add(self, fault: Fault, rows: Iterable[int], where: str = "", text: str = "") -> None:
        """A fault of these rows; `text`, in the column `where` of the first of them, shows it."""
        rows = list(rows)
        finding = self.found.setdefault(fault.code, Finding(fault.code, fault.severity, fault.mend))
        finding.rows.update(rows)
        finding.messages.setdefault(fault.message, set()).update(rows)
        if text and rows and (finding.example is None or rows[0] < finding.example[0]):
            finding.example = rows[0], where, excerpt(text, fault.span)

    @property
    def findings(self) -> list[Finding]:
        """Errors first, then by how many rows they touch."""
        return sorted(self.found.values(), key=lambda one: (one.severity, -len(one.rows), one.code))

    def count(self, code: str) -> int:
        """How many rows a rule found."""
        return len(self.found[code].rows) if code in self.found else 0

    def rows(self, code: str) -> list[int]:
        """Where the rows that a rule found stand in the file."""
        return [self.lines[row] for row in sorted(self.found[code].rows)] if code in self.found else []

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)

    def problems(self) -> list[Problem]:
        """One problem a rule, at the first row that has it."""
        return [self._problem(finding) for finding in self.findings]

    def _problem(self, finding: Finding) -> Problem:
        message, _ = finding.common[0]
        rows = len(finding.rows)
        others = len(finding.messages) - 1
        told = f"{_rows(rows)}: {message}" if rows else message
        told += f" (and {others:,} more)" if others else ""
        place = Place(self.path, self.lines[min(finding.rows)] if rows else 0)
        return Problem(place, finding.code, told, finding.mend, finding.severity, rows)

    def as_dict(self) -> dict[str, Any]:
        """All of it, with every row."""
        return {
            "path": self.path,
            "sheet": self.sheet,
            "layout": self.layout,
            "family": self.family,
            "language": self.language,
            "rows": len(self.lines),
            "findings": [
                {
                    "code": finding.code,
                    "severity": finding.severity,
                    "mend": finding.mend,
                    "count": len(finding.rows),
                    self.unit + "s": self.rows(finding.code),
                    "messages": dict(finding.common[:100]),
                    "example": self._example(finding),
                }
                for finding in self.findings
            ],
        }

    def as_text(self) -> str:
        """A few lines a rule."""
        language = f"language {self.language}{' (told from its words)' if self.told else ''}"
        sheet = f", sheet {self.sheet!r}" if self.sheet else ""
        head = f"{self.path}{sheet}: {self.layout}, {self.family}, {_rows(len(self.lines))}"
        lines = [f"{head}, {language if self.language else 'language unknown: say --language'}"]
        for finding in self.findings:
            counted = _rows(len(finding.rows)) if finding.rows else "the file"
            lines.append(f"  {finding.severity} {finding.code}: {counted}; {finding.mend}")
            common = finding.common
            for message, rows in common[:FIRST_MESSAGES]:
                lines.append(f"    {f'{rows:,} x ' if finding.rows and len(common) > 1 else ''}{_clipped(message)}")
            if len(common) > FIRST_MESSAGES:
                lines.append(f"    and {len(common) - FIRST_MESSAGES:,} more such")
            if finding.rows:
                where = self.rows(finding.code)
                shown = ", ".join(map(str, where[:FIRST_ROWS])) + (", ..." if len(where) > FIRST_ROWS else "")
                lines.append(f"    {self.unit}{'s' if len(where) > 1 else ''} {shown}")
            if example := self._example(finding):
                lines.append(f"    {self.unit} {example[self.unit]}, {example['field']}: {example['text']}")
        if not self.findings:
            lines.append("  nothing found")
        return "\n".join(lines)

    def _example(self, finding: Finding) -> dict[str, Any] | None:
        if finding.example is None:
            return None
        row, where, text = finding.example
        return {self.unit: self.lines[row], "field": where, "text": text}


def excerpt(text: str, span: tuple[int, int] | None) -> str:
    """A text in one line, clipped round what is to be seen."""
    start, end = span or (0, 0)
    middle = (start + end) // 2
    first = max(0, min(middle - LONGEST // 2, len(text) - LONGEST))
    shown = text[first : first + LONGEST]
    before, after = "..." if first else "", "..." if first + LONGEST < len(text) else ""
    return f"{before}{shown}{after}".replace("\n", " ").replace("\r", " ")


def _clipped(message: str) -> str:
    return message if len(message) <= LONGEST else message[: LONGEST - 3] + "..."


def summary(reports: Sequence[Report]) -> str:
    """Over several files: how many rows each rule found."""
    lines = [f"{len(reports)} files, {_rows(sum(len(report.lines) for report in reports))}"]
    severities = {finding.code: finding.severity for report in reports for finding in report.findings}
    for code in sorted(severities, key=lambda code: (severities[code], code)):
        found = sum(report.count(code) for report in reports)
        files = sum(code in report.found for report in reports)
        where = f"{files} file{'' if files == 1 else 's'}"
        lines.append(f"  {severities[code]} {code}: {f'{_rows(found)} in ' if found else ''}{where}")
    return "\n".join(lines)


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
