"""Rows of text as Markdown, as LaTeX and as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---" for _ in header], *rows]
    return "".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |\n" for line in lines)


def latex(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> str:
    """Return a booktabs table; columns of ``numbers`` are flush right."""
    head, *body = (" & ".join(cell.translate(_LATEX) for cell in line) + r" \\" for line in (header, *rows))
    columns = "".join("r" if number else "l" for number in numbers)
    lines = (f"\\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule")
    return "\n".join((*lines, r"\end{tabular}")) + "\n"


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return comma-separated values; None is an empty one."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
