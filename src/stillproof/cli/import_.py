"""stillproof import: third-party distilled sets, models, logs and configurations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.attack_options import CheckpointNetworkOption
from stillproof.cli.import_beard import import_beard, takes
from stillproof.cli.options import (
    DataOption,
    JsonOption,
    OutOption,
    PluginOption,
    StoreOption,
    one_of,
    split_floats,
    split_list,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.pool import PoolOption, check_pool, put_into
from stillproof.cli.session import session
from stillproof.core.errors import BadInput
from stillproof.core.weight import weight_of

if TYPE_CHECKING:
    from stillproof.core.spec import Json
    from stillproof.importers.import_model import ImportedModel
    from stillproof.importers.import_options import ImportOptions
    from stillproof.importers.import_sets import ImportedSet
    from stillproof.session import Session


def command(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="File or folder with a distilled set; a model's checkpoint; BEARD's logs or configuration."
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Data set that it stands for; required for sets and checkpoints.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="Format; auto detects it, docs/import.md lists all.")] = "auto",
    space: Annotated[
        str, typer.Option("--space", help="Space of the images: auto, pixels, normalised or zca.")
    ] = "auto",
    mean: Annotated[
        str | None,
        typer.Option("--mean", help="Means that the images were normalised with, one per channel: 0.49,0.48,0.45."),
    ] = None,
    std: Annotated[
        str | None, typer.Option("--std", help="Standard deviations, likewise; give both or neither.")
    ] = None,
    experiment: Annotated[
        int | None,
        typer.Option(
            "--experiment", help="Import only this experiment, counted from 0; -1 is the last. [default: all]"
        ),
    ] = None,
    images: Annotated[
        Path | None, typer.Option("--images", help="Instead of PATH: file of images; --labels names their labels.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="File of labels, or folder of labels recorded epoch by epoch (epoch_0/...)."),
    ] = None,
    labels_seed: Annotated[
        int, typer.Option("--labels-seed", help="Seed of the order that --labels was recorded in.")
    ] = 42,
    method: Annotated[
        str, typer.Option("--method", help="Method that made the set, where its name does not tell.")
    ] = "",
    teacher: Annotated[
        str | None,
        typer.Option("--teacher", help="Models of the store that label every batch anew: a,b."),
    ] = None,
    network: CheckpointNetworkOption = None,
    out: OutOption = None,
    pool: PoolOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import a distilled set or a model from a file or folder.

    Its format is detected, and nothing is stored unless all of it passes the checks.
    """
    check_pool(pool)
    if path is not None and takes(path, form):
        if pool is not None:
            raise BadInput(f"pools hold sets and models, and {path} is neither: leave --pool out.")
        said: dict[str, object] = {"dataset": dataset, "network": network, "method": method, "teacher": teacher}
        said |= {"space": space, "mean": mean, "std": std, "labels": labels, "experiment": experiment}
        for option in (name for name, value in said.items() if value not in (None, "", "auto")):
            raise BadInput(f"{path} itself says what it is about: leave --{option} out.")
        import_beard(path, form, out, store, plugin, as_json)
        return
    if path is not None and not path.exists():
        raise BadInput(f"{path} is not there.")
    if dataset is None:
        raise BadInput("name the data set that it stands for with --dataset.")
    from stillproof.importers.detect import is_model
    from stillproof.importers.import_options import IMPORT_SPACES, ImportOptions

    found, form = _place(path, images, labels, form)
    constants = split_floats(mean, "--mean"), split_floats(std, "--std")
    chosen = one_of("space", space, IMPORT_SPACES)
    teachers = tuple(split_list(teacher) or ())
    options = ImportOptions(form, chosen, *constants, experiment, labels, labels_seed, method, teachers)
    # Before a store is made: most bad files end here.
    model = labels is None and is_model(found, form)
    if model and teachers:
        raise BadInput(f"--teacher gives labels to a set, and {found} is a model: leave it out.")
    with session(store, data, plugin) as opened:
        if model:
            made = _model(opened, found, dataset, network, out, as_json)
        else:
            made = _sets(opened, found, dataset, options, out, as_json)
        put_into(opened, pool, made)


def _place(path: Path | None, images: Path | None, labels: Path | None, form: str) -> tuple[Path, str]:
    """Return what is imported, and its format as far as it is known: PATH, or the images of two files."""
    from stillproof.importers.file_pair import TWO_FILES

    if images is None and path is not None:
        return path, form
    if images is None or path is not None:
        raise BadInput("name one thing to import: PATH, or two files with --images and --labels.")
    if labels is None:
        raise BadInput(f"--images {images} needs --labels with the file of their labels.")
    return images, TWO_FILES


def _sets(
    opened: Session, path: Path, dataset: str, options: ImportOptions, out: Path | None, as_json: bool
) -> list[str]:
    """Import sets; return their ids."""
    from stillproof.image_finder import export_set

    made, found = opened.import_sets(path, dataset, options)
    folders = [_folder(one, out, len(made)) for one in made]
    for one, folder in zip(made, folders, strict=True):
        if folder != one.path:
            export_set(opened.store, one.artifact, folder)
    for sentence in found:
        say(f"found: {sentence}")
    ids = [one.artifact for one in made]
    if as_json:
        sets = [_as_json(one, folder) for one, folder in zip(made, folders, strict=True)]
        write_json({"found": found, "sets": sets, "models": []})
        return ids
    for one, folder in zip(made, folders, strict=True):
        distilled = one.distilled
        write(f"{one.name}: {len(distilled.images)} images, {weight_of(distilled.images, distilled.labels)}")
        write(f"{_how(one.cached)}; artifact {one.artifact}\n{folder}")
    write(f"next: stillproof train {made[-1].name}")
    return ids


def _model(
    opened: Session, path: Path, dataset: str, network: str | None, out: Path | None, as_json: bool
) -> list[str]:
    """Import a model; return its id, alone in a list."""
    made = opened.import_model(path, dataset, network or "")
    if out is not None:
        opened.store.artifacts.export(made.artifact, out)
    for sentence in made.found:
        say(f"found: {sentence}")
    if as_json:
        write_json({"found": list(made.found), "sets": [], "models": [_model_as_json(made, out or made.path)]})
        return [made.artifact]
    write(f"{made.name}: {made.network}, {made.bytes} bytes")
    write(f"{_how(made.cached)}; artifact {made.artifact}\n{out or made.path}")
    write(f"next: stillproof attack {made.name} --dataset {dataset} --attack pgd")
    return [made.artifact]


def _how(cached: bool) -> str:
    return "already in the store" if cached else "imported"


def _folder(one: ImportedSet, out: Path | None, count: int) -> Path:
    if out is None:
        return one.path
    return out if count == 1 else out / f"experiment-{one.experiment}"


def _as_json(one: ImportedSet, folder: Path) -> Json:
    distilled, card = one.distilled, one.distilled.card
    return {
        "artifact": one.artifact,
        "name": one.name,
        "path": str(folder),
        "cached": one.cached,
        "format": one.form,
        "experiment": one.experiment,
        "method": card.method,
        "images": len(distilled.images),
        "ipc": card.ipc,
        "bytes": card.bytes,
        "weight": weight_of(distilled.images, distilled.labels).as_dict(),
        "space": distilled.space.kind,
        "decode": distilled.decode,
        "recipe": one.recipe,
    }


def _model_as_json(one: ImportedModel, folder: Path) -> Json:
    return {
        "artifact": one.artifact,
        "name": one.name,
        "path": str(folder),
        "cached": one.cached,
        "network": one.network,
        "bytes": one.bytes,
    }
