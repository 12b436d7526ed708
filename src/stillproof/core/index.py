"""Reads what component files register without importing them, so that names can be listed before torch is loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered name.

    ``fixed`` are the parameters that a short name settles: ``convnet-3-bn`` is ``convnet`` with depth 3 and batch norm.
    ``params`` maps every parameter to its type and default, as written in the source.
    """

    kind: str
    name: str
    version: int
    paper: str
    summary: str
    module: str
    origin: str
    qualname: str
    family: str
    params: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)


def scan(source: str, *, module: str, origin: str, filename: str) -> list[Entry]:
    """Return what ``source`` registers.

    Raises:
        SyntaxError: The source is not Python.
    """
    tree = ast.parse(source, filename=filename)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    entries: list[Entry] = []
    for node in classes.values():
        for registry, name, options in _registrations(node):
            names = {name: {}} | options.get("names", {})
            summary = (ast.get_docstring(node) or "").split("\n")[0]
            for short, fixed in names.items():
                entries.append(
                    Entry(
                        kind=registry,
                        name=short,
                        version=options["version"],
                        paper=options.get("paper", ""),
                        summary=summary,
                        module=module,
                        origin=origin,
                        qualname=node.name,
                        family=name,
                        params=_params(node, classes),
                        fixed=fixed,
                    )
                )
    return entries


def _registrations(node: ast.ClassDef) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for decorator in node.decorator_list:
        if not (isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute)):
            continue
        # Other libraries have decorators of this name too; ours begin with a text and state a version.
        texts = [a.value for a in decorator.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        versioned = any(keyword.arg == "version" for keyword in decorator.keywords)
        if decorator.func.attr != "register" or not texts or not versioned:
            continue
        registry = ast.unparse(decorator.func.value).rpartition(".")[2]  # `distillers` or `stillproof.distillers`
        yield registry, texts[0], {k.arg: ast.literal_eval(k.value) for k in decorator.keywords if k.arg}


def _params(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> dict[str, str]:
    """Return the fields of a dataclass and of its bases in the same file, as ``type = default``."""
    params: dict[str, str] = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            params |= _params(classes[base.id], classes)
    for item in node.body:
        if not (isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)):
            continue
        annotation = ast.unparse(item.annotation)
        if annotation.startswith("ClassVar"):
            continue
        default = f" = {ast.unparse(item.value)}" if item.value is not None else ""
        params[item.target.id] = annotation + default
    return params
