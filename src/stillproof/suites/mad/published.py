"""What MAD published of a defence, if anything that may stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.report.published import Published
from stillproof.suites.mad.defence_scores import Scored
from stillproof.suites.mad.protocol import mad_asks
from stillproof.suites.mad.variants import changed

PAPER = "doi:10.1007/s11432-024-4880-x"
# The columns of both tables, as networks are and after their shots.
PUBLISHED: Mapping[str, str] = {"sa": "SA", "aa": "AA"}
KEYS = (*PUBLISHED, "edsr")  # the last of them after the shots alone
NOTE = (
    "one training, in percent; every source image occurs under all attacks, the victim's recipe is not published, and "
    "the average seems to be over known attacks too"
)
# By MAD's set and defence, in percent.
BEFORE: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "mad-m": {
        "none": (98.84, 0.00),
        "r-at": (99.40, 99.10),
        "r-fast": (98.10, 97.60),
        "r-free": (99.10, 98.70),
        "r-yopo": (97.93, 93.31),
        "r-atta": (98.83, 94.19),
        "meta-at": (99.65, 98.88),
    },
    "mad-c": {
        "none": (94.82, 0.00),
        "r-at": (88.35, 52.20),
        "r-fast": (79.40, 41.40),
        "r-free": (80.40, 42.80),
        "r-yopo": (80.25, 40.62),
        "r-atta": (79.90, 40.90),
        "meta-at": (89.00, 46.00),
    },
    "mad-t": {"none": (71.90, 0.00), "r-at": (48.65, 10.28), "meta-at": (52.80, 9.86)},
}
AFTER: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "mad-m": {
        "r-at": (99.00, 98.89, 88.61),
        "r-fast": (98.45, 97.46, 89.80),
        "r-free": (98.90, 98.62, 86.39),
        "meta-at": (99.76, 98.83, 98.23),
    },
    "mad-c": {
        "r-at": (89.00, 47.19, 96.85),
        "r-fast": (79.45, 39.46, 93.03),
        "r-free": (76.40, 40.62, 94.39),
        "meta-at": (91.76, 45.83, 100.92),
    },
    "mad-t": {"r-at": (49.00, 9.89, 48.61), "meta-at": (53.76, 9.83, 55.26)},
}
# Of Meta-AT with other parts: MAD's set, what is changed, and SA*, EDSR and, where there is one, AA, in percent, with
# the place. AA is that of Table 2, of networks before any shots.
ABLATED: Mapping[tuple[str, str], tuple[float, float, float | None, str]] = {
    ("mad-c", ""): (95.50, 100.92, 46.00, "Table 5"),
    ("mad-c", "inner_lr=0.001,lr=0.0001"): (93.20, 97.80, None, "Table 4"),
    **{
        ("mad-c", changed(f"tricks={trick}")[1]): (clean, score, strong, "Table 5")
        for trick, clean, score, strong in (
            ("none", 98.30, 97.70, 32.60),
            ("sar", 97.70, 98.30, 36.50),
            ("clip", 96.60, 99.79, 37.70),
            ("warmup", 97.60, 98.66, 35.60),
            ("smoothing", 97.20, 98.89, 32.70),
            ("mixup", 96.50, 99.26, 35.30),
        )
    },
    ("mad-m", "ways=2"): (99.50, 95.07, None, "section 4.2"),
    ("mad-m", "ways=3"): (99.55, 94.87, None, "section 4.2"),
    ("mad-m", "ways=4"): (99.65, 94.98, None, "section 4.2"),
    ("mad-m", "ways=5"): (99.65, 95.18, None, "section 4.2"),
}


def published_ablation(one: Scored) -> dict[str, Published | None]:
    """Return the published values of Meta-AT with other parts, by the keys of their columns; mostly none."""
    found = ABLATED.get((str(one.row["like"]), str(one.row["variant"]))) if _is_published(one) else None
    *values, place = found or (None, None, None, "")
    return {
        key: None if value is None else Published(round(float(value) / 100, 6), str(place), PAPER, NOTE)
        for key, value in zip(("sa", "edsr", "aa"), values, strict=True)
    }


def _is_published(one: Scored) -> bool:
    """Say whether a row is of the published protocol, as far as one is published."""
    row = one.row
    same = mad_asks(str(row["protocol"])).is_oracle and row["scale"] == "paper" and bool(row["as_published"])
    return same and row["ipc"] is None and row["network"] == row["home"] and not row["supports"]


def published_of(one: Scored, *, after: bool) -> dict[str, Published | None]:
    """Return the published values of a defence, by the keys of their columns; mostly none."""
    row = one.row
    same = _is_published(one) and not row["variant"]
    table: Mapping[str, Mapping[str, tuple[float, ...]]] = AFTER if after else BEFORE
    values = table.get(str(row["like"]), {}).get(str(row["defence"])) if same else None
    place, found = "Table 3" if after else "Table 2", dict(zip(KEYS, values or (), strict=False))
    return {key: Published(round(found[key] / 100, 6), place, PAPER, NOTE) if key in found else None for key in KEYS}
