"""Where a set says that its images and labels come from, as far as its card and the store know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stillproof.core.errors import Corrupt
from stillproof.core.model_card import check_model_card
from stillproof.core.set_card import true_card
from stillproof.core.spec import Json
from stillproof.store.artifact_files import read_card, read_sealed
from stillproof.store.store import Store

UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known.

    Args:
        data: Id of the real images that the set was made from, ``UNKNOWN`` if it was imported.
        labels: What its card calls its labels.
        teachers: For each teacher, if it names some, the id of the real images that it learned from.
    """

    data: str
    labels: str
    teachers: tuple[str, ...]

    def as_dict(self) -> Json:
        """Return it as JSON values; what is not known is none."""
        teachers = [teacher or None for teacher in self.teachers]
        return {"data": self.data or None, "labels": self.labels, "teachers": teachers}


def origin_of(store: Store, artifact: str) -> Origin:
    """Return where a set comes from."""
    content, arrays = read_sealed(store.artifacts.folder(artifact))
    card = true_card(arrays, content["card"])
    known = "@" in card["data_id"]
    teachers = [_learned_from(store, teacher) for teacher in card.get("teachers", ())]
    return Origin(card["data_id"] if known else UNKNOWN, card["labels"], (*teachers, *_asked(store, artifact)))


def part_of(data: str) -> str:
    """Return which split an id of real images names: of ``digits/train@sha256:...``, train."""
    return data.partition("@")[0].rpartition("/")[2]


def _asked(store: Store, artifact: str) -> Iterator[str]:
    """Yield what the teachers learned from whose answers were stored with a set, if the store knows who they were."""
    cell = store.cell_of(artifact)
    record = store.results.get(cell) if cell else None
    if record is None or record.stage != "relabel" or record.spec["labels"] == "taught":
        return
    for teacher in record.spec["teachers"]:
        trained = store.results.get(teacher)
        if trained is not None and "upstream" in trained.spec:
            yield str(trained.spec["upstream"].get("data", UNKNOWN))
        else:
            model = (trained.result or {}).get("model") if trained else None
            yield _learned_from(store, model) if model else UNKNOWN


def _learned_from(store: Store, model: str) -> str:
    try:
        card = read_card(store.artifacts.folder(model))
    except Corrupt:  # it is not here, or no longer what it was
        return UNKNOWN
    check_model_card(card)
    return str(card["upstream"].get("data", UNKNOWN))
