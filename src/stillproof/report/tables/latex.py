"""A table as a float of LaTeX that a paper can include as it is."""

from __future__ import annotations

import re

from stillproof.report.tables.markup import latex, latex_text
from stillproof.report.tables.table import Table
from stillproof.report.tables.text import shown


def to_latex(table: Table, suite: str = "", *, plus_minus: bool = False) -> str:
    """Return a booktabs table with a caption of its title and notes, and a label.

    Args:
        table: The table.
        suite: The suite that it is of, which is part of the label: tables of several may have the same name.
        plus_minus: Write intervals that are symmetric with a plus-minus sign instead of both ends.
    """
    text = shown(table, plus_minus=plus_minus)
    label = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(dict.fromkeys(filter(None, (suite, table.name))))).strip("-")
    title = table.title if table.title.endswith((".", "?", "!")) else f"{table.title}."
    caption = " ".join((title, *text.notes))
    lines = (
        "% needs \\usepackage{booktabs}",
        r"\begin{table}[t]",
        r"\centering",
        f"\\caption{{{latex_text(caption)}}}",
        f"\\label{{tab:{label}}}",
        f"{latex(text.header, text.rows, text.numbers)}\\end{{table}}",
    )
    return "\n".join(lines) + "\n"
