"""The ranks of methods as radars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stillproof.report.captions import Basis
from stillproof.report.figures.radar import Radar, RadarPanel, Ray
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed

# By name: two suites may tell the same side.
RAYS = tuple(dict.fromkeys(side.name for side in SIDES if side.radar))


def radar_of(title: str, by_method: Mapping[str, Sequence[Placed]]) -> Radar:
    """Return one radar per method, with those sides that any of them is ranked on."""
    found = {method: {one.side.name: one for one in placed} for method, placed in by_method.items()}
    asked = [name for name in RAYS if any(name in known for known in found.values())]
    panels = [RadarPanel(method, [_ray(name, known.get(name)) for name in asked]) for method, known in found.items()]
    protocols = {str(one.row["protocol"]) for placed in by_method.values() for one in placed if one.row["protocol"]}
    return Radar(title, panels, Basis(", ".join(sorted(protocols)), ""))


def _ray(name: str, one: Placed | None) -> Ray:
    if one is None or one.place is None:
        return Ray(name, None, None, None, 0 if one is None else one.of)
    return Ray(name, one.place.rank, one.place.best, one.place.worst, one.of)
