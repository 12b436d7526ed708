"""Hashes of source code by syntax tree, so that comments, docstrings and formatting do not count."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "stillproof"
# Plumbing that cannot change a number; how seeds are drawn and pixels are read can, so that stays in.
NEUTRAL = ("stillproof.core", "stillproof.store")
NOT_NEUTRAL = ("stillproof.core.seeds", "stillproof.core.types", "stillproof.core.context")


def closure_hash(source: str, package: str = PACKAGE) -> str:
    """Hash ``source`` with every module of Stillproof and of its own package that it imports, directly or not."""
    modules: set[str] = set()
    _collect(source, (PACKAGE, package), modules)
    parts = [tree_text(source)] + [f"{name}\n{tree_text(_module_source(name))}" for name in sorted(modules)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@functools.cache
def module_hash(name: str) -> str:
    """Return the closure hash of the Stillproof module ``name``."""
    return closure_hash(_module_source(name))


@functools.cache
def file_hash(name: str) -> str:
    """Return the hash of the Stillproof module ``name`` alone, without what it imports."""
    return hashlib.sha256(tree_text(_module_source(name)).encode()).hexdigest()[:16]


def tree_text(source: str) -> str:
    """Return ``source`` as its syntax tree prints it, without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _collect(source: str, packages: tuple[str, ...], found: set[str]) -> None:
    for name in _imports(source, packages):
        neutral = name.startswith(NEUTRAL) and name not in NOT_NEUTRAL
        if name in found or neutral:
            continue
        found.add(name)
        _collect(_module_source(name), packages, found)


def _imports(source: str, packages: tuple[str, ...]) -> Iterator[str]:
    """Yield the modules below ``packages`` that ``source`` imports, but not the packages themselves."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            below = any(name.startswith(f"{package}.") for package in packages)
            if below and _module_file(name) is not None:
                yield name


@functools.cache
def _module_file(name: str) -> Path | None:
    package, *rest = name.split(".")
    base = importlib.util.find_spec(package)
    if base is None or base.origin is None:
        return None
    path = Path(base.origin).parent.joinpath(*rest)
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@functools.cache
def _module_source(name: str) -> str:
    path = _module_file(name)
    assert path is not None, name
    return path.read_text(encoding="utf-8")
