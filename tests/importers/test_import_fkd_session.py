from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from recordings import COUNT, record

from stillproof.core.errors import BadInput, CellFailed
from stillproof.importers.import_options import ImportOptions
from stillproof.session import Session
from stillproof.targets import artifact_request


def own_data(root: Path, pictures: Path) -> str:
    """Take the pictures themselves for the real data set, and name it."""
    for part in ("train", "test"):
        shutil.copytree(pictures, root / part)
    return f"image_folder:path={root}:size=8"


def test_recorded_labels_are_imported_beside_pictures_and_replayed_by_their_own_recipe(tmp_path: Path) -> None:
    made = record(tmp_path, seed=7)
    dataset = own_data(tmp_path / "real", made.pictures)
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        with pytest.raises(BadInput, match="seed 42"):
            session.import_sets(made.pictures, dataset, ImportOptions(labels=made.labels))
        assert store.results.counts() == {}
        (one,), found = session.import_sets(made.pictures, dataset, ImportOptions(labels=made.labels, labels_seed=7))
        assert "labels of 3 epochs were recorded, in batches of 4" in found
        assert set(one.recipe.split(":")) >= {"fkd", "epochs=3", "batch=4"}
        assert one.name == f"own-real-size-8-5ipc-{one.artifact[:6]}", "a name that can stand in a list of methods"
        # Images and classes; of each label order, crop, flip, partner and three logits; of each batch share and box.
        expected = COUNT * (3 * 64 * 4 + 8) + 3 * COUNT * (4 + 16 + 1 + 4 + 6) + 3 * 4 * (4 + 16)
        assert one.distilled.card.bytes == expected
        request, _ = artifact_request(store, one.artifact)
        score = session.train(request, network="convnet-1:width=4", seeds=1)
        assert set(score.recipe.split(":")) == {"fkd", "epochs=3", "batch=4"}
        assert score.n_test == COUNT
        with pytest.raises((BadInput, CellFailed), match="use at most epochs=3"):
            session.train(request, network="convnet-1:width=4", seeds=1, recipe="fkd:epochs=4")
