from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from stillproof.core.errors import BadInput, Corrupt
from stillproof.importers.import_options import ImportOptions
from stillproof.report.sets import ShownSet, named_set, snapshots_of, titles_of
from stillproof.session import Session
from stillproof.store.store import open_store


def shown(**card: Any) -> ShownSet:
    return ShownSet("id", Path("folder"), {"method": "dm", "dataset": "digits", "ipc": 1, **card})


def test_titles_that_would_be_alike_name_what_differs() -> None:
    sets = [shown(params={"steps": 1, "lr": 2}), shown(params={"steps": 9, "lr": 2}), shown(method="mtt")]
    assert titles_of(sets) == [
        "dm, digits, 1 per class, steps=1",
        "dm, digits, 1 per class, steps=9",
        "mtt, digits, 1 per class",
    ]
    assert titles_of([shown(seed=0), shown(seed=0)]) == ["dm, digits, 1 per class"] * 2
    assert titles_of([shown(seed=0), shown(seed=1)])[1] == "dm, digits, 1 per class, seed=1"


def test_packed_sets_have_two_pictures() -> None:
    assert [name for _, name in shown().panels("t")] == ["preview.png"]
    assert shown(decode="grid2x2").panels("t") == [
        ("t, as stored", "preview.png"),
        ("t, decoded", "preview_decoded.png"),
    ]


def test_snapshots_come_in_the_order_of_their_steps(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        small = "convnet-1:width=4"
        made = session.distill("digits", "dm:steps=12:batch_real=2", 1, network=small, snapshots=[10, 0, 2, 12])
        found = snapshots_of(store, named_set(store, made.name))
        assert [step for step, _ in found] == [0, 2, 10], "the last step is the result itself"
        assert [one.id for _, one in found] == [made.snapshots[step] for step in (0, 2, 10)]
        bare = session.distill("digits", "random", 1)
        for name in (bare.name, f"{made.name}@0"):
            with pytest.raises(BadInput, match=r"no snapshots of .* distil with `--snapshots every=N`"):
                snapshots_of(store, named_set(store, name))
        store.register_artifact(bare.artifact, "distilled", f"{made.name}@5", None, 1)
        assert snapshots_of(store, named_set(store, made.artifact)) == found, "a name alone makes no snapshot"


def test_a_set_is_called_as_it_was_imported_last(tmp_path: Path) -> None:
    images, labels = torch.zeros(10, 1, 8, 8), torch.arange(10)
    torch.save({"images": images, "labels": labels}, tmp_path / "mine.pt")
    with Session(str(tmp_path / "s.db")) as session:
        own = session.import_tensors(images, labels, "digits")
        assert titles_of([named_set(session.store, own.artifact)]) == ["own, digits, 1 per class"]
        (again,), _ = session.import_sets(tmp_path / "mine.pt", "digits", ImportOptions(method="my-set"))
        assert again.artifact == own.artifact
        assert titles_of([named_set(session.store, own.artifact)]) == ["my-set, digits, 1 per class"]


@pytest.mark.parametrize("content", ["", "{}", "[]", json.dumps({"kind": "distilled", "id": "x", "card": {}})])
def test_a_card_that_says_nothing_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(content)
    with (
        open_store(str(tmp_path / "s.db")) as store,
        pytest.raises(Corrupt, match=r"is corrupt|is missing"),
    ):
        named_set(store, str(tmp_path))
