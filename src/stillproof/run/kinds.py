"""What cells have in common that the same compiled code serves."""

from __future__ import annotations

import re

from stillproof.core.spec import Json, digest

LEARNING_RATE = re.compile(":lr=[^:]*")  # in a recipe


def kind_of_work(stage: str, where: Json) -> str:
    """Return the name of the kind of work that a cell is, by its stage and hints.

    Its steps differ from stage to stage, and it is compiled for each number of images, so that other work is no less
    work for it. The optimiser's part of a step is not compiled: a search of learning rates shares all of its code.
    """
    recipe = LEARNING_RATE.sub("", str(where.get("recipe", "")))
    return digest([stage, where.get("flops", 0.0), where.get("dataset"), where.get("network"), recipe])
