"""Finds the format of a file or folder, and says why it is that one."""

from __future__ import annotations

import os
from pathlib import Path

from stillproof.core.errors import BadInput, UnknownName
from stillproof.importers.beard_config import FORMAT as BEARD_CONFIG
from stillproof.importers.beard_log import FORMAT as BEARD_LOG
from stillproof.importers.checkpoints import recognises_model
from stillproof.importers.dc_bench_pair import DcBenchPair
from stillproof.importers.dd_results import DdResults
from stillproof.importers.file_pair import NPY_PAIR, PT_PAIR
from stillproof.importers.foreign_set import Importer
from stillproof.importers.idc_pair import IdcPair
from stillproof.importers.idm_pickle import IdmPickle
from stillproof.importers.image_folders import IMAGE_FOLDERS
from stillproof.importers.kip_file import KipFile
from stillproof.importers.plain_files import DictionaryFile, NpzFile, PlainPair
from stillproof.importers.result_file import ResultFile
from stillproof.importers.trajectory_folder import TrajectoryFolder

# The first that recognises a path reads it: those that go by names come before those that look into the file.
IMPORTERS: tuple[Importer, ...] = (
    TrajectoryFolder(),
    DcBenchPair(),
    ResultFile(),
    DictionaryFile(),
    IdcPair(),
    PlainPair(),
    DdResults(),
    IdmPickle(),
    KipFile(),
    NpzFile(),
    NPY_PAIR,
    PT_PAIR,
    *IMAGE_FOLDERS,
)
MODEL = "checkpoint"  # the format of models, which are not distilled sets


def detect(path: Path, form: str = "auto") -> tuple[Importer, str]:
    """Return the importer for ``path`` and why; ``form`` is a format's name, or ``auto`` to look.

    Raises:
        BadInput: There is nothing at ``path``, or nothing that any importer knows.
    """
    _check_there(path)
    if form != "auto":
        chosen = [importer for importer in IMPORTERS if importer.name == form]
        if not chosen:
            raise UnknownName(
                "format", form, [*(importer.name for importer in IMPORTERS), MODEL, BEARD_LOG, BEARD_CONFIG]
            )
        return chosen[0], f"format {form}, as asked for"
    found = _first(path)
    if found is None:
        known = ", ".join([*(importer.name for importer in IMPORTERS), MODEL])
        raise BadInput(
            f"{path} has no known format: is it a distilled set at all? `import --format` takes {known}; "
            "--images and --labels take two files of any names."
        )
    return found


def is_model(path: Path, form: str = "auto") -> bool:
    """Say whether ``path`` is a model's checkpoint, or is said to be one."""
    if form != "auto":
        return form == MODEL
    _check_there(path)
    return _first(path) is None and bool(recognises_model(path))


def _first(path: Path) -> tuple[Importer, str] | None:
    for importer in IMPORTERS:
        why = importer.recognises(path)
        if why:
            return importer, f"format {importer.name}: {why}"
    return None


def _check_there(path: Path) -> None:
    if not path.exists():
        raise BadInput(f"{path} is not there.")
    if not os.access(path, os.R_OK):
        raise BadInput(f"{path} cannot be read: permission denied.")
    if path.is_file() and path.stat().st_size == 0:
        raise BadInput(f"{path} is empty.")
