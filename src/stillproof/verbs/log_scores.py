"""BEARD's scores of its own logs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.importers.beard_names import UNTARGETED_ONLY
from stillproof.importers.import_logs import ImportedLog
from stillproof.report.attack_log_table import AIMS, log_scores

LEFT_OUT = {"targeted": UNTARGETED_ONLY, "untargeted": frozenset[str]()}


def scores_of_logs(logs: Sequence[ImportedLog]) -> dict[str, Json]:
    """Return the scores of each log and, if there are several, of all together, targeted and untargeted.

    Raises:
        BadInput: They are of several data sets, whose accuracies do not belong together.
    """
    mixed = sorted({one.log.dataset for one in logs})
    if len(mixed) > 1:
        raise BadInput(f"these logs are of {' and '.join(mixed)}: a score needs one data set.")
    values = {f"{one.log.method} {one.log.ipc} ipc": [dataclasses.asdict(one.log)] for one in logs}
    if len(logs) > 1:
        values["all together"] = [dataclasses.asdict(one.log) for one in logs]
    return {f"{name}, {aim}": log_scores(found, aim, LEFT_OUT[aim]) for name, found in values.items() for aim in AIMS}
