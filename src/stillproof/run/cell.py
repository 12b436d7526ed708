"""One question of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.spec import Json

SPEC_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """One question.

    ``spec`` decides the answer and names the cell; ``where`` only helps to compute it; ``needs`` are the cells whose
    answers it reads; ``flops`` is the expected work; ``alone`` says that it measures time,
    so that no other may run beside it.
    """

    id: str
    stage: str
    spec: Json
    where: Json
    needs: tuple[str, ...]
    flops: float
    label: str
    alone: bool = False
