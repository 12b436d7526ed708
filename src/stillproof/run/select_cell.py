"""Computes a selection cell: which epoch of a training run counts."""

from __future__ import annotations

from stillproof.core.spec import Json
from stillproof.run.world import Answer, World


def compute_select(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Choose an epoch by the rule; the earliest of equals."""
    record = world.store.results.get(spec["train"])
    assert record is not None and record.result is not None, "a cell runs only after those that it needs"
    curve = record.result
    if spec["rule"] == "last":
        point = len(curve["epochs"]) - 1
    else:
        judged = curve["heldout_accuracy"] if spec["rule"] == "heldout" else curve["test_accuracy"]
        point = judged.index(max(judged))
    epoch = curve["epochs"][point]
    return Answer(
        {
            "accuracy": curve["test_accuracy"][point],
            "heldout_accuracy": curve["heldout_accuracy"][point] if curve["heldout_accuracy"] else None,
            "epoch": epoch,
            "model": curve["models"][str(epoch)],
            "outcomes": curve["outcomes"],
            "n_test": curve["n_test"],
            "points": len(curve["epochs"]),
        },
        (record.provenance or {}).get("numerics", {}),
    )
