"""Rows as Markdown, LaTeX, HTML and comma-separated values, and for pandas where it is there."""

from __future__ import annotations

import csv
import html
import importlib
import io
from collections.abc import Iterable, Sequence
from typing import Any

from stillproof.core.errors import BadInput

PLUS_MINUS = "\u00b1"
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {character: f"${character}$" for character in "<>|"}
    | {PLUS_MINUS: r"$\pm$"}
)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---" for _ in header], *rows]
    return "".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |\n" for line in lines)


def latex_text(text: str) -> str:
    """Return a text as LaTeX shows it."""
    return text.translate(_LATEX)


def latex(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> str:
    """Return a booktabs table; columns of ``numbers`` are flush right."""
    head, *body = (" & ".join(map(latex_text, line)) + r" \\" for line in (header, *rows))
    columns = "".join("r" if number else "l" for number in numbers)
    lines = (f"\\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule")
    return "\n".join((*lines, r"\end{tabular}")) + "\n"


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> str:
    """Return an HTML table under its title; everything is shown to the letter."""
    sides = ["right" if number else "left" for number in numbers]
    head, *body = (
        "".join(
            f'<{tag} style="text-align: {side}">{html.escape(cell)}</{tag}>'
            for side, cell in zip(sides, line, strict=True)
        )
        for tag, line in [("th", header), *(("td", row) for row in rows)]
    )
    lines = "".join(f"<tr>{line}</tr>\n" for line in body)
    caption = f'<caption style="text-align: left">{html.escape(title)}</caption>'
    return f"<table>\n{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n"


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return comma-separated values; None is an empty one."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def dataframe(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Any:
    """Return a ``pandas.DataFrame``.

    Raises:
        BadInput: pandas is not installed.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise BadInput("a data frame needs pandas, which is not installed here: `pip install pandas`.") from None
    return pandas.DataFrame(list(rows), columns=list(header))
