"""The card of a trained network."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from stillproof.core.card_values import CardPart, ComponentPart, Count, SpacePart, Text, Whole, checked
from stillproof.core.spec import Json


class InfoPart(CardPart, extra="forbid"):
    """A data set, as ``core.types.DataInfo``."""

    name: Text
    channels: Count
    size: Count
    num_classes: Count
    mean: list[float]
    std: list[Annotated[float, Field(gt=0)]]
    licence: Text
    class_names: Annotated[list[Text], Field(default_factory=list)]


class ModelCardPart(CardPart):
    """What every card of a network says; some say more, such as the defence that it was trained with."""

    network: ComponentPart
    info: InfoPart
    space: SpacePart
    recipe: dict[str, Any]
    upstream: dict[str, Any]
    seed: Whole
    epoch: Whole
    defence: ComponentPart | None = None


def check_model_card(card: Json) -> None:
    """Refuse a card that is none of a network.

    Raises:
        BadInput: A value is missing, of another type, or none that a card can have.
    """
    checked(ModelCardPart, card, "a model")
