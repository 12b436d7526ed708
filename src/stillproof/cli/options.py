"""Options that several verbs share, and how their texts become values."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from stillproof.cli.output import say
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.plugins import index_entry_points, load_plugins, read_plugin
from stillproof.core.reference import parse_list, split_outside
from stillproof.core.result_stream import results_apart

Choice = TypeVar("Choice", bound=str)

StoreOption = Annotated[
    str | None, typer.Option("--store", envvar="STILLPROOF_STORE", help="Store URL. [default: sqlite:///stillproof.db]")
]
DataOption = Annotated[str | None, typer.Option("--data", envvar="STILLPROOF_DATA", help="Folder of the data sets.")]
AllowTestImagesOption = Annotated[
    bool,
    typer.Option("--allow-test-images", help="Let sets with test images among their own through; their rows say so."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print only JSON on standard output.")]
PluginOption = Annotated[
    list[Path] | None, typer.Option("--plugin", help="Python file with your own components; may be repeated.")
]
OutOption = Annotated[Path | None, typer.Option("--out", help="Also copy the artifact to this folder.")]
SectionOption = Annotated[str | None, typer.Option("--section", help="Show only these sections, comma-separated.")]
SuiteOrRun = Annotated[str | None, typer.Argument(metavar="[SUITE]", help="Suite; not needed with --run.")]
RunOption = Annotated[
    str | None, typer.Option("--run", help="Run: its number, name or hash. [default: the suite's newest]")
]
MethodsOption = Annotated[str | None, typer.Option("--methods", help="Show only these methods, comma-separated.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, help="Number of processes; with several, each uses one thread.")
]
SomeWorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Number of processes; with several, each uses one thread. [default: one per core for long CPU runs]",
    ),
]
DeviceOption = Annotated[
    str | None,
    typer.Option("--device", help="Where to compute: cpu, cuda or cuda:1. [default: the first GPU, else the CPU]"),
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="Parameter of the method as key=value; may be repeated.")
]
NetworkOption = Annotated[
    str,
    typer.Option("--network", help="Network, such as convnet-3:width=64; home is the ConvNet for the images' size."),
]


def load_components(plugins: Sequence[Path] | None) -> None:
    """Make known what installed packages and the files of ``--plugin`` bring."""
    index_entry_points()
    with results_apart():
        load_plugins([read_plugin(path) for path in plugins or []])


def one_of(kind: str, text: str, known: Sequence[Choice]) -> Choice:
    """Return ``text`` if it is one of ``known``; otherwise refuse it and name what comes closest."""
    for choice in known:
        if text == choice:
            return choice
    raise UnknownName(kind, text, known)


def with_params(reference: str, settings: list[str] | None) -> str:
    """Add ``key=value`` settings to the name of a component."""
    return reference + "".join(f":{key}={value}" for key, value in split_settings(settings).items())


def split_settings(settings: list[str] | None) -> dict[str, str]:
    """Split ``key=value`` settings; of a key that comes twice the last one counts, as with every other option."""
    found: dict[str, str] = {}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not (equals and key):
            raise BadInput(f"--set {setting!r} is not of the form key=value.")
        if key in found:
            say(f"--set {setting} takes the place of --set {key}={found[key]}")
        found[key] = value
    return found


def other_settings(settings: list[str] | None, flags: Container[str]) -> dict[str, str]:
    """Split the settings of ``--set``; one that a flag has given already is refused."""
    found = split_settings(settings)
    for key, value in found.items():
        if key in flags:
            raise BadInput(f"--{key} and --set {key}={value} both set {key}: leave one of them out.")
    return found


def split_list(text: str | None) -> list[str] | None:
    """Split a comma-separated list; commas in brackets belong to its parts. An empty text is an empty list."""
    if text is None:
        return None
    if text.strip() and not all(part.strip() for part in split_outside(text, ",")):
        raise BadInput(f"{text!r} has a comma with nothing before or after it: leave it out, or say what is missing.")
    return parse_list(text)


def split_numbers(text: str | None, option: str) -> list[int] | None:
    """Split a comma-separated list of whole numbers."""
    parts = split_list(text)
    try:
        return None if parts is None else [int(part) for part in parts]
    except ValueError:
        raise BadInput(f"{option} {text!r} is not a comma-separated list of whole numbers.") from None


def split_floats(text: str | None, option: str) -> tuple[float, ...]:
    """Split a comma-separated list of numbers; without a text it is empty."""
    try:
        return tuple(float(part) for part in split_list(text) or [])
    except ValueError:
        raise BadInput(f"{option} {text!r} is not a comma-separated list of numbers.") from None
