"""Hashes of source code by syntax tree, so that comments, docstrings and formatting do not count."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "stillproof"
# Plumbing that cannot change a number. Seeds can, so they stay in.
NEUTRAL = ("stillproof.core", "stillproof.store")
NOT_NEUTRAL = ("stillproof.core.seeds",)


def closure_hash(source: str) -> str:
    """Hash ``source`` together with every Stillproof module that it imports, directly or not."""
    modules: set[str] = set()
    _collect(source, modules)
    parts = [tree_text(source)] + [f"{name}\n{tree_text(_module_source(name))}" for name in sorted(modules)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@functools.cache
def module_hash(name: str) -> str:
    """Return the closure hash of the Stillproof module ``name``."""
    return closure_hash(_module_source(name))


def tree_text(source: str) -> str:
    """Return ``source`` as its syntax tree prints it, without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _collect(source: str, found: set[str]) -> None:
    for name in _imports(source):
        neutral = name.startswith(NEUTRAL) and name not in NOT_NEUTRAL
        if name in found or neutral:
            continue
        found.add(name)
        _collect(_module_source(name), found)


def _imports(source: str) -> Iterator[str]:
    """Yield the Stillproof modules that ``source`` imports; the package itself only re-exports, so it is left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith(PACKAGE + ".") and _module_file(name) is not None:
                yield name


@functools.cache
def _module_file(name: str) -> Path | None:
    base = importlib.util.find_spec(PACKAGE)
    assert base is not None and base.origin is not None
    path = Path(base.origin).parent.joinpath(*name.split(".")[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@functools.cache
def _module_source(name: str) -> str:
    path = _module_file(name)
    assert path is not None, name
    return path.read_text(encoding="utf-8")
