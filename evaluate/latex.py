"""Tables as LaTeX (booktabs), each with the signatures of the runs that its figures come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
}


@dataclass(frozen=True)
class Table:
    """Text cells under a header; the first column is names."""

    caption: str
    label: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def document(tables: Sequence[Table], signatures: Sequence[str], canary: Sequence[str]) -> str:
    """Tables to \\input; needs booktabs. The comments on top say where the figures come from."""
    head = [f"% {line}" for line in (*signatures, *canary)] + ["% needs \\usepackage{booktabs}"]
    return "\n".join([*head, *map(latex, tables)]) + "\n"


def latex(table: Table) -> str:
    columns = "l" + "r" * (len(table.header) - 1)
    lines = [
        "",
        r"\begin{table}[t]",
        r"  \centering",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(map(escaped, table.header))} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(map(escaped, row))} \\\\" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \caption{{{escaped(table.caption)}}}",
        rf"  \label{{{table.label}}}",
        r"\end{table}",
    ]
    return "\n".join(lines)
