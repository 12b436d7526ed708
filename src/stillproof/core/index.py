"""Reads what component files register without importing them, so that names can be listed before torch is loaded."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_reference
from stillproof.core.source import PASS_ON, passed_on

PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered name.

    ``fixed`` are the parameters that a short name settles: ``convnet-3-bn`` is ``convnet`` with depth 3 and batch norm.
    ``params`` maps every parameter to its type and default, as written in the source or settled by the name.
    ``references`` are the parameters that name other components, each with the kind of component.
    ``below`` says what stands behind a slash in names of this family, as the class in ``art/HopSkipJump``; most have
    nothing there.
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
    references: Mapping[str, str] = field(default_factory=dict)
    below: str = ""

    def named_in(self, reference: str) -> Iterator[tuple[str, str]]:
        """Yield kind and reference of the components that a reference to this one names, or else names by default."""
        try:
            _, given = parse_reference(reference)
        except BadInput:  # a text that only looks like one, or a part of one
            given = {}
        for key, kind in self.references.items():
            yield kind, given.get(key) or self.params.get(key, "").partition(" = ")[2].strip("'\"")


def scan(source: str, *, module: str, origin: str, filename: str) -> list[Entry]:
    """Return what ``source`` registers.

    Raises:
        SyntaxError: The source is not Python.
    """
    file = ast.parse(source, filename=filename)
    entries: list[Entry] = []
    for node in _classes(file).values():
        fields, references = _fields(node, file), _references(node, file)
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
                        params=_params(fields, fixed),
                        fixed=fixed,
                        references=references,
                        below=options.get("below", ""),
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


def _params(fields: Mapping[str, tuple[str, str]], fixed: Mapping[str, Any]) -> dict[str, str]:
    """Return parameters as ``type = default``; a value that a short name settles counts as the default."""
    shown = {name: (kind, repr(fixed[name]) if name in fixed else default) for name, (kind, default) in fields.items()}
    return {name: f"{kind} = {default}" if default else kind for name, (kind, default) in shown.items()}


def _fields(node: ast.ClassDef, file: ast.Module) -> dict[str, tuple[str, str]]:
    """Return type and default of each field of a dataclass and of its bases; an empty text means no default."""
    fields: dict[str, tuple[str, str]] = {}
    for base in reversed(node.bases):  # as dataclasses do: the first base wins
        if isinstance(base, ast.Name) and (found := _find(base.id, node, file)):
            fields |= _fields(*found)
    for item in node.body:
        if not (isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)):
            continue
        annotation = ast.unparse(item.annotation)
        if not annotation.startswith("ClassVar"):
            fields[item.target.id] = (annotation, ast.unparse(item.value) if item.value is not None else "")
    return fields


def _references(node: ast.ClassDef, file: ast.Module) -> dict[str, str]:
    """Return the class attribute ``references``, the class's own or that of a base."""
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and item.target.id == "references":
            return dict(ast.literal_eval(item.value)) if item.value is not None else {}
    bases = [_find(base.id, node, file) for base in node.bases if isinstance(base, ast.Name)]
    return next((found for base in bases if base and (found := _references(*base))), {})


def _find(name: str, below: ast.ClassDef, file: ast.Module) -> tuple[ast.ClassDef, ast.Module] | None:
    """Find a base class in the file, or in the Stillproof module that the file imports it from."""
    local = _classes(file).get(name)
    if local is not None and local is not below:
        return local, file
    for node in file.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            original = {alias.asname or alias.name: alias.name for alias in node.names}.get(name)
            home = passed_on(node.module).get(original or "") if node.module in PASS_ON else None
            other = _own_module(home.module if home else node.module) if original else None
            if original and other and original in _classes(other):
                return _classes(other)[original], other
    return None


def _classes(file: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in file.body if isinstance(node, ast.ClassDef)}


@functools.cache
def _own_module(module: str) -> ast.Module | None:
    """Return a module of this package as its syntax tree, without importing it."""
    package, *rest = module.split(".")
    path = PACKAGE.joinpath(*rest).with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8")) if package == PACKAGE.name and path.is_file() else None
