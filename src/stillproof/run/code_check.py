"""Whether the code that a cell's name tells is the code that would compute it here."""

from __future__ import annotations

from collections.abc import Iterator

from stillproof.core.components import REGISTRIES, stages
from stillproof.core.registry import Registry
from stillproof.core.spec import Json, canonical_json
from stillproof.run.cell import SPEC_FORMAT

CODE = ("version", "generations", "edited", "own")  # what an identity tells of code
OF_A_COMPONENT = {"name", "version", "params"}


class CodeCheck:
    """Compares the code in the specs of cells with the code here; each component is looked up once."""

    def __init__(self) -> None:
        """Prepare; nothing was compared yet."""
        self._known: dict[str, str] = {}

    def difference(self, spec: Json) -> str:
        """Return what is not the same code, with both versions; nothing if all is."""
        if spec.get("format") != SPEC_FORMAT:
            return f"it is named in format {spec.get('format')}, and this version writes {SPEC_FORMAT}"
        named = [("stage", {"name": spec.get("stage"), **_code(spec)}), *(("", one) for one in _components(spec))]
        return next(filter(None, (self._compared(kind, identity) for kind, identity in named)), "")

    def _compared(self, kind: str, identity: Json) -> str:
        asked = {"name": identity["name"], **_code(identity)}
        key = canonical_json([kind, asked])
        if key not in self._known:
            where = [stages] if kind else list(REGISTRIES.values())
            self._known[key] = _compared(asked, where)
        return self._known[key]


def _compared(asked: Json, registries: list[Registry[object]]) -> str:
    there = [registry for registry in registries if registry.find(str(asked["name"])) is not None]
    here = [(registry.kind, _code(registry.code(str(asked["name"])))) for registry in there]
    if any(code == _code(asked) for _, code in here):
        return ""
    if not here:
        return f"{asked['name']!r} is not known here (a plug-in that is not loaded?)"
    kind, code = here[0]
    return f"it was planned with {kind} {asked['name']!r} of {_told(asked)}, which is of {_told(code)} here"


def _components(value: object) -> Iterator[Json]:
    """Yield the components that a spec names, wherever they stand."""
    if isinstance(value, dict):
        if value.keys() >= OF_A_COMPONENT:
            yield value
        for inner in value.values():
            yield from _components(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _components(inner)


def _code(identity: Json) -> Json:
    return {key: identity[key] for key in CODE if key in identity}


def _told(code: Json) -> str:
    """Return a version in words."""
    parts = [f"version {code.get('version')}"]
    parts += [f"generation {number} of {file}" for file, number in code.get("generations", {}).items()]
    parts += [f"code edited since its release ({code['edited']})"] if "edited" in code else []
    parts += [f"code of its own ({code['own']})"] if "own" in code else []
    return ", ".join(parts)
