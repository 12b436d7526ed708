"""What BEARD published of a method's CREI, if anything."""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.report.published import Published
from stillproof.report.tables.table import Column
from stillproof.suites.beard.method_scores import Assessed
from stillproof.suites.beard.protocol import beard_asks

PAPER = "arXiv:2411.09265"
PUBLISHED_CREI = Column("published_crei", "published CREI", Published, "empty")
SIZES = {1, 10, 50}
IMAGES = 10_000
# What every row must say, and the attacks of each mode.
SAME = {"dataset": "cifar10", "scale": "paper", "selection": "last", "recipe": "beard"}
NETWORKS = ("home", "convnet-3")
TARGETED = {"fgsm", "pgd", "pgd-l2", "cw"}
ATTACKS = {"targeted": TARGETED, "untargeted": TARGETED | {"deepfool", "autoattack"}}
NOTE = "one training, whose networks were attacked on normalised images"
# CIFAR-10, all sizes pooled, in percent.
UNIFIED: Mapping[str, Mapping[str, float]] = {
    "targeted": {"dc": 29.35, "dsa": 36.43, "mtt": 32.26, "dm": 36.01, "idm": 27.75, "bacon": 33.05},
    "untargeted": {"dc": 26.70, "dsa": 27.75, "mtt": 26.26, "dm": 28.32, "idm": 28.46, "bacon": 27.20},
}


def published_crei(one: Assessed) -> Published | None:
    """Return the published CREI that may stand beside ours: only beside the published protocol, and mostly none."""
    row = one.row
    there = UNIFIED.get(str(row["mode"]), {}).get(str(row["method"]))
    same = all(row[key] == value for key, value in SAME.items()) and beard_asks(row["protocol"]).is_published
    same = same and row["network"] in NETWORKS and not row["defence"]
    pooled = {part.ipc for part in one.parts} == SIZES
    attacks = all(set(part.accuracy) == ATTACKS.get(str(row["mode"])) for part in one.parts)
    if there is None or not (same and pooled and attacks and one.is_timed and row.counted("n") == IMAGES):
        return None
    return Published(round(there / 100, 6), "Table 2", PAPER, NOTE)
