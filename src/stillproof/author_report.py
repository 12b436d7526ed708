"""What the author of a set reports, beside what was found here: the accuracy, the network, and how it was trained."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.components import networks
from stillproof.core.errors import UnknownName
from stillproof.core.spec import Json
from stillproof.core.types import Distilled
from stillproof.importers.beard_names import NETWORKS, known
from stillproof.importers.known_methods import FOLLOWED
from stillproof.score.stats import Summary
from stillproof.sets.own_recipe import recipe_on
from stillproof.sets.reported import Reported
from stillproof.train.recipe_for import recipe_for


@dataclass(frozen=True)
class AuthorReport:
    """An accuracy that the author of a set reports, and how far it can be compared with ours.

    Args:
        claim: The accuracy, and what is said of it.
        method: Whose set it is.
        network: The network, as it is called here; None if it is not known here.
        recipe: How the authors of that method train it; None if that is not known.
        same_network: Whether that network was trained here; None if the author does not say which it is.
        same_recipe: Whether it was trained like that here; None if it is not known how the authors do it.
    """

    claim: Reported
    method: str
    network: str | None
    recipe: str | None
    same_network: bool | None
    same_recipe: bool | None

    def as_dict(self) -> Json:
        """Return the report as JSON values."""
        rest = {key: value for key, value in dataclasses.asdict(self).items() if key != "claim"}
        return {**self.claim.as_dict(), "called": self.claim.network, **rest}

    def sentences(self, ours: Summary, recipe: str) -> list[str]:
        """Return two lines: the accuracy beside ours, and both recipes."""
        claim = self.claim
        std = "" if claim.std is None else f" (std {100 * claim.std:.2f})"
        runs = "" if claim.n is None else f", n = {claim.n}" + (f" over {claim.sets} sets" if claim.sets > 1 else "")
        on = f", on {claim.network}" if claim.network else ""
        gap = 100 * (ours.mean - claim.accuracy)
        than = f"ours is {abs(gap):.2f} points {'above' if gap > 0 else 'below'} it"
        return [
            f"{claim.place} reports {100 * claim.accuracy:.2f} %{std}{runs}{on}; {than}",
            self._about_recipes(recipe),
        ]

    def _about_recipes(self, ours: str) -> str:
        if self.recipe is None:
            return f"the author's recipe is not known: ours is {ours}, so that the two need not agree"
        if self.same_recipe:
            return f"both recipes are that of {self.method}'s authors: {self.recipe}"
        return f"recipes differ: ours is {ours}, that of {self.method}'s authors is {self.recipe}"


def author_reports(
    claims: Sequence[Reported], distilled: Distilled, network: str, recipe: str, info_name: str, defence: str | None
) -> list[AuthorReport]:
    """Return what an author reports of a set beside a training of ``network`` by ``recipe`` here."""
    return [_beside(claim, distilled, network, recipe, info_name, defence) for claim in claims]


def report_sentences(reports: Sequence[AuthorReport], ours: Summary, network: str, recipe: str) -> list[str]:
    """Return what is said of the reports: of the network that was trained, or which others they are of."""
    same = [one for one in reports if one.same_network is not False]
    if same or not reports:
        return [line for one in same for line in one.sentences(ours, recipe)]
    others = ", ".join(str(one.claim) for one in reports)
    return [f"{reports[0].claim.place} reports nothing for {network}, but {others}"]


def _beside(
    claim: Reported, distilled: Distilled, network: str, recipe: str, info_name: str, defence: str | None
) -> AuthorReport:
    theirs, method = _called_here(claim.network), distilled.card.method
    written = recipe_on(distilled, networks.build(theirs or network)) if method in FOLLOWED else None
    alike = None if written is None else defence is None and _values(written, info_name) == _values(recipe, info_name)
    same = theirs is not None and networks.build(theirs) == networks.build(network)
    return AuthorReport(claim, method, theirs, written, same if claim.network else None, alike)


def _called_here(network: str) -> str | None:
    try:
        return known("network", network, NETWORKS)
    except UnknownName:
        return None


def _values(recipe: str, info_name: str) -> Mapping[str, Any]:
    """Return all that a recipe says of the training itself: how often it is measured changes nothing."""
    return dataclasses.asdict(dataclasses.replace(recipe_for(recipe, info_name), curve_points=1))
