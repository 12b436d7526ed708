"""BEARD's scores of its own logs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.importers.beard_names import cannot_aim
from stillproof.importers.import_logs import ImportedLog
from stillproof.report.attack_log_table import AIMS, log_scores


def scores_of_logs(logs: Sequence[ImportedLog]) -> dict[str, Json]:
    """Return the scores of each log and, where a method has several, of all its sizes together; by what they are of.

    Raises:
        BadInput: They are of several data sets, whose accuracies do not belong together.
    """
    mixed = sorted({one.log.dataset for one in logs})
    if len(mixed) > 1:
        raise BadInput(f"these logs are of {' and '.join(mixed)}: a score needs one data set.")
    models: dict[str, list[ImportedLog]] = {}
    for one in logs:
        several = len({other.log.network for other in logs if other.log.method == one.log.method}) > 1
        models.setdefault(f"{one.log.method}, {one.log.network}" if several else one.log.method, []).append(one)
    found = {}
    for model, same in models.items():
        sizes = [one.log.ipc for one in same]
        for one in same:  # two logs of one size are told apart by what they hold
            told = f" ({one.artifact[:6]})" if sizes.count(one.log.ipc) > 1 else ""
            found[f"{model} {one.log.ipc} ipc{told}"] = [one]
        if len(set(sizes)) > 1:
            found[f"{model}, all sizes together"] = same
    return {f"{name}, {aim}": _scored(some, aim) for name, some in found.items() for aim in AIMS}


def _scored(logs: Sequence[ImportedLog], aim: str) -> Json:
    names = {attack.attack for one in logs for attack in one.log.attacks}
    left_out = {name for name in names if aim == "targeted" and cannot_aim(name)}
    return log_scores([dataclasses.asdict(one.log) for one in logs], aim, left_out)
