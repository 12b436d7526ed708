"""A store of more than 10,000 records as a year of runs would leave it: made-up answers to questions that were planned.

Questions are those of suites on digits; other data sets ask the same under other names.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, update

from stillproof.core.components import suites
from stillproof.core.spec import Json, canonical_json, digest, digest_text
from stillproof.run.cell import Cell
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.store.records import NewCell
from stillproof.store.schema import cells as cells_table

METHODS = ("random", "k-center", "k-center-greedy", "herding", "noise", "dm", "dc", "dsa", "idm", "mtt", "datadam", "kip")
ASKED = {"dataset": ["digits"], "methods": METHODS, "ipc": [1, 10, 50], "seeds": 5, "scale": "smoke"}
SUITES: Mapping[str, Mapping[str, Any]] = {
    "accuracy": {},
    "beard": {
        "sections": ["curves", "scores"],
        "attacks": ["fgsm", "pgd", "pgd-l2"],
        "targeted_attacks": ["fgsm"],
        "full_recipe": "none",
        "timed": 0,
        "limit": 1000,
    },
}
COPIES = ("digits", "digits-b", "digits-c")  # data sets; the questions of one are 3,800 cells
MACHINE = {"stillproof": "0.1.0", "device": "cpu", "torch": "2.13.0", "platform": "Linux", "threads": 2}
TESTED = 1797
EPS = [step / 160 for step in range(33)]
EPOCHS = 100

