"""The part of a source file that can change a number: what is left without comments, docstrings and blank lines.

It is cut from the text itself and not printed from a syntax tree, which versions of Python print differently.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator

Place = tuple[int, int]  # line, counted from 1, and column in characters
Span = tuple[Place, Place]


def code_hash(source: str) -> str:
    """Return the sha256 of a file's code, in hexadecimal; equal on every system and version of Python."""
    return hashlib.sha256(code_text(source).encode()).hexdigest()


def code_text(source: str) -> str:
    """Return a file's code as text.

    Raises:
        SyntaxError: The source is not Python.
    """
    source = "\n".join(source.splitlines())
    tree = ast.parse(source)
    lines = source.split("\n")
    for (first, start), (last, end) in sorted((*_docstrings(tree, lines), *_comments(source)), reverse=True):
        lines[first - 1 : last] = [lines[first - 1][:start] + lines[last - 1][end:], *[""] * (last - first)]
    inside = _inside_strings(tree)
    kept = (line if number in inside else line.rstrip() for number, line in enumerate(lines, 1))
    return "\n".join(line for number, line in enumerate(kept, 1) if line or number in inside)


def _docstrings(tree: ast.Module, lines: list[str]) -> Iterator[Span]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            found = node.body[0]
            assert found.end_lineno is not None and found.end_col_offset is not None
            first, last = lines[found.lineno - 1].encode(), lines[found.end_lineno - 1].encode()
            yield (
                (found.lineno, len(first[: found.col_offset].decode())),  # the tree counts bytes
                (found.end_lineno, len(last[: found.end_col_offset].decode())),
            )


def _comments(source: str) -> Iterator[Span]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start, token.end


def _inside_strings(tree: ast.Module) -> set[int]:
    """Return the lines that belong to texts of several lines, where every space counts."""
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr))
    return {line for text in texts for line in range(text.lineno, (text.end_lineno or text.lineno))}
