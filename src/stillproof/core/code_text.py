"""The part of a source file that can change a number: what is left without comments, docstrings and blank lines.

It is cut from the text itself and not printed from a syntax tree, which each version of Python prints otherwise.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator

Place = tuple[int, int]  # line, counted from 1, and column in letters
Span = tuple[Place, Place]
# From Python 3.12 on, an f-string is several tokens, the first and the last of these names.
BEGINS, ENDS = (getattr(tokenize, name, None) for name in ("FSTRING_START", "FSTRING_END"))


def code_hash(source: str) -> str:
    """Return the sha256 of a file's code, in hexadecimal; equal on every system and version of Python."""
    return hashlib.sha256(code_text(source).encode()).hexdigest()


def code_text(source: str) -> str:
    """Return a file's code as text.

    Raises:
        SyntaxError: The source is not Python.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    docstrings = [_span(node, lines) for node in _docstrings(ast.parse(source))]
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    comments = [(token.start, token.end) for token in tokens if token.type == tokenize.COMMENT]
    inside = _inside_texts(tokens, docstrings)
    for (first, start), (last, end) in sorted((*docstrings, *comments), reverse=True):
        lines[first - 1 : last] = [lines[first - 1][:start] + lines[last - 1][end:], *[""] * (last - first)]
    kept = [(number, line if number in inside else line.rstrip()) for number, line in enumerate(lines, 1)]
    return "\n".join(line for number, line in kept if line or number in inside)


def _docstrings(tree: ast.Module) -> Iterator[ast.Expr]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield first


def _span(node: ast.Expr, lines: list[str]) -> Span:
    assert node.end_lineno is not None and node.end_col_offset is not None
    first, last = lines[node.lineno - 1].encode(), lines[node.end_lineno - 1].encode()  # the tree counts bytes
    start = len(first[: node.col_offset].decode())
    return (node.lineno, start), (node.end_lineno, len(last[: node.end_col_offset].decode()))


def _inside_texts(tokens: list[tokenize.TokenInfo], docstrings: list[Span]) -> set[int]:
    """Return the lines that end inside a text, where every blank counts; docstrings are passed over."""
    found: set[int] = set()
    begun: list[Place] = []
    for token in tokens:
        if token.type == BEGINS:
            begun.append(token.start)
        elif token.type == tokenize.STRING or token.type == ENDS:
            start = token.start if token.type == tokenize.STRING else begun.pop()
            if not any(first <= start and token.end <= last for first, last in docstrings):
                found |= set(range(start[0], token.end[0]))
    return found
