"""stillproof show: one component in full, or a suite's configuration as a file to edit."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated, Any

import typer

from stillproof.cli.config import to_toml
from stillproof.cli.options import JsonOption, PluginOption, load_components, one_of
from stillproof.cli.output import say, write, write_json, write_table
from stillproof.core.components import REGISTRIES, distillers, suites
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.mad_attacks import is_mad, mad_attack
from stillproof.core.presets import SCALES, preset_params, presets_of
from stillproof.core.registry import Registry
from stillproof.core.spec import Json
from stillproof.core.validate import choices
from stillproof.report.mad_tables import about_mad

ARGS = "Args:"


def command(
    name: Annotated[str, typer.Argument(help="Name of a component or suite.")],
    kind: Annotated[
        str | None, typer.Option("--kind", help="Kind of component (distillers, ...), where two kinds share the name.")
    ] = None,
    config: Annotated[bool, typer.Option("--config", help="Print a suite's configuration, as TOML or JSON.")] = False,
    scale: Annotated[str, typer.Option("--scale", help="With --config: smoke, quick or paper.")] = "quick",
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a component's parameters, presets, version and paper."""
    load_components(plugin)
    if is_mad(name):
        _show_mad(name, as_json)
        return
    registry = _find(name, kind)
    if config:
        params = _config(name, scale)
        if as_json:
            write_json(params)
        else:
            write(to_toml(name, params))
        return
    entry = registry.entry(name)
    cls: Any = registry.get(name)
    about, fields = _below(cls, name) if entry.below else (_about(cls), _fields(cls) | dict(entry.fixed))
    presets = [dataclasses.asdict(preset) for preset in presets_of(cls, entry)]
    sections = _sections(name) if registry is suites else []
    if as_json:
        told = {"name": name, "kind": registry.kind, "version": entry.version, "paper": entry.paper}
        told |= {"summary": entry.summary, "params": fields, "presets": presets}
        write_json(told | ({"sections": sections} if sections else {}))
        return
    write(f"{name} ({registry.kind}, version {entry.version}) {entry.paper}\n{about}")
    listed = {} if entry.below else {key: ", ".join(map(str, values)) for key, values in choices(cls).items()}
    header = ("parameter", "default", "one of") if listed else ("parameter", "default")
    if fields:
        write_table(header, [(key, _text(value), listed.get(key, ""))[: len(header)] for key, value in fields.items()])
    if presets:
        rows = [
            (p["scale"], ", ".join(p["datasets"]) or "any", _range(p["min_ipc"], p["max_ipc"]), _params(p["params"]))
            for p in presets
        ]
        write_table(
            ("scale", "data sets", "ipc", "parameters"),
            rows,
            title="presets (a later row overrides an earlier one; otherwise defaults hold)",
        )
    if sections:
        write_table(("section", "question"), [(section["name"], section["question"]) for section in sections])


def _show_mad(name: str, as_json: bool) -> None:
    about = about_mad(mad_attack(name))
    if as_json:
        write_json(about)
        return
    write(f"{about['name']} (one of MAD's attacks) {about['title']}{': ' if about['note'] else ''}{about['note']}")
    references: Any = about["references"]
    write_table(("images like", "attack"), list(references.items()))
    roles: Any = about["roles"]
    left: Any = about["left_out"]
    write_table(("set", "what for"), [(one.upper(), left.get(one, role) or "") for one, role in roles.items()])


def _find(name: str, kind: str | None) -> Registry[Any]:
    asked = list(REGISTRIES.values()) if kind is None else [REGISTRIES[one_of("kind", kind, list(REGISTRIES))]]
    found = [registry for registry in asked if registry.find(name)]
    if not found:
        raise UnknownName("component", name, [n for registry in asked for n in registry.entries()])
    chosen = next((registry for registry in (distillers, suites) if registry in found), found[0])
    for other in found:
        if other is not chosen:
            say(f"{name!r} is also the name of a component that `--kind {other.plural}` shows.")
    return chosen


def _sections(suite: str) -> list[dict[str, str]]:
    from stillproof.report.run_report import sections_of

    return [section.as_dict() for section in sections_of(suite)]


def _about(cls: Any) -> str:
    """Return a class's docstring; one that inherits its parameters is completed from the class that explains them."""
    own, *inherited = [inspect.cleandoc(base.__doc__ or "") for base in cls.__mro__]
    if ARGS not in own:
        own += next((f"\n\n{text[text.index(ARGS) :]}" for text in inherited if ARGS in text), "")
    return own


def _below(cls: Any, name: str) -> tuple[str, dict[str, Any]]:
    """Return what is said of something behind a door, and its parameters; of the door itself, what is behind it."""
    about, fields = cls.shown_below(name.partition("/")[2])
    return about, {key: "(needed)" if value is dataclasses.MISSING else value for key, value in fields.items()}


def _fields(cls: Any) -> dict[str, Any]:
    """Return parameters and defaults of a class."""
    return {field.name: _default(field) for field in dataclasses.fields(cls)}


def _default(field: dataclasses.Field[Any]) -> Any:
    return "(needed)" if field.default is dataclasses.MISSING else field.default


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _params(params: dict[str, Any]) -> str:
    return ", ".join(f"{key}={_text(value)}" for key, value in params.items()) or "the defaults"


def _text(value: Any) -> str:
    """Return a value as the command line takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _config(name: str, scale: str) -> Json:
    if name not in suites.entries():
        raise BadInput(f"{name!r} is not a suite: --config writes the configuration of suites only.")
    suite = suites.build(
        name, preset_params(suites.get(name), one_of("scale", scale, SCALES), "", 1, suites.entry(name))
    )
    params: Json = suites.spec(suite).as_dict()["params"]
    return params
