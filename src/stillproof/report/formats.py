"""One table in every form that people ask for: Markdown, CSV, LaTeX and plain rows for the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from stillproof.report.tables import Line

HEADER = ("data set", "network", "method", "ipc", "accuracy %", "95 % interval", "n", "recipe", "selection", "protocol")


def text_rows(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the cells of the table as text; percent only here."""
    return [_text(line) for line in lines]


def _text(line: Line) -> tuple[str, ...]:
    keys, accuracy = line.keys, line.accuracy
    mean = f"{100 * accuracy.mean:.1f}" if accuracy else "-"
    interval = "-"
    if accuracy and accuracy.ci95:
        interval = f"{100 * accuracy.ci95[0]:.1f} to {100 * accuracy.ci95[1]:.1f}"
    n = str(accuracy.n if accuracy else 0) + (f" ({line.missing} missing)" if line.missing else "")
    ipc = "all" if keys["ipc"] is None else str(keys["ipc"])
    fixed = (keys["dataset"], keys["network"], keys["method"], ipc)
    return (*fixed, mean, interval, n, keys["recipe"], keys["selection"], keys["protocol"])


def to_markdown(lines: Sequence[Line]) -> str:
    """Return a Markdown table."""
    rows = [HEADER, tuple("---" for _ in HEADER), *text_rows(lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def to_csv(lines: Sequence[Line]) -> str:
    """Return comma-separated values, with accuracies as fractions."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    keys = list(lines[0].keys) if lines else []
    writer.writerow([*keys, "mean", "std", "n", "ci95_low", "ci95_high", "missing"])
    for line in lines:
        a = line.accuracy
        low, high = a.ci95 if a and a.ci95 else ("", "")
        numbers = [a.mean, "" if a.std is None else a.std, a.n, low, high] if a else ["", "", 0, "", ""]
        writer.writerow([*("" if line.keys[k] is None else line.keys[k] for k in keys), *numbers, line.missing])
    return buffer.getvalue()


def to_latex(lines: Sequence[Line]) -> str:
    """Return a booktabs table."""
    rows = [" & ".join(_escape(cell) for cell in row) + r" \\" for row in text_rows(lines)]
    head = " & ".join(_escape(cell) for cell in HEADER) + r" \\"
    body = "\n".join(rows)
    columns = "llrr" + "r" * 3 + "lll"
    return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n"


def _escape(text: str) -> str:
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    return text
