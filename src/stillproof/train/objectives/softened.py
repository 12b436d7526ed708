"""What objectives have in common that compare softened answers."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.train.labels import Form
from stillproof.train.objective import LogitObjective


@dataclass(frozen=True)
class Softened(LogitObjective):
    """Base of objectives that divide the logits of both sides before they compare them.

    Args:
        temperature: Divides the logits of both sides.
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what softens nothing."""
        if self.temperature <= 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")

    @property
    def form(self) -> Form:
        """Return the form that targets are wanted in: the temperature divides logits."""
        return "logits"
