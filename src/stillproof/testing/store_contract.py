"""What every store must do, whatever database is behind it: subclass ``StoreContract`` and supply fresh URLs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stillproof.core.errors import BadInput
from stillproof.core.spec import digest
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store
from stillproof.testing.claims_contract import LEASE, ClaimsContract
from stillproof.testing.claims_contract import fill as fill
from stillproof.testing.claims_contract import fork_context as fork_context
from stillproof.testing.claims_contract import new_cells as new_cells


class StoreContract(ClaimsContract):
    """Tests for pytest. ``fresh_url`` is the one hook."""

    def fresh_url(self, folder: Path) -> str:
        """Return the URL of a store that does not exist yet; ``folder`` is empty and may be used."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        """Open a fresh store, with its artifacts in a folder of its own."""
        with open_store(self.fresh_url(tmp_path), artifacts=tmp_path / "artifacts") as store:
            yield store

    def test_cells_come_back_as_they_were_put(self, store: Store) -> None:
        """Specs and hints are parsed again, and the rest starts empty."""
        cell = NewCell(
            digest("x"), "distill", {"ipc": 1, "lr": 0.1, "name": "ü", "list": [1, None]}, {"data": "digits"}
        )
        store.results.put([cell])
        record = store.results.get(cell.id)
        assert record is not None
        assert (record.id, record.stage, record.spec, record.where) == (cell.id, cell.stage, cell.spec, cell.where)
        assert (record.status, record.attempts, record.progress, record.result) == ("pending", 0, 0.0, None)
        assert abs(record.created - time.time()) < 60

    def test_put_leaves_known_cells_alone(self, store: Store) -> None:
        """Planning the same cells again keeps their answers."""
        first, *_ = fill(store, 3)
        assert store.claims.claim([first], "me", LEASE) == first
        store.claims.finish(first, "me", {"accuracy": 0.5}, 1.5, {"torch": "2"})
        fill(store, 5)
        record = store.results.get(first)
        assert record is not None and record.status == "done" and record.result == {"accuracy": 0.5}
        assert (record.seconds, record.provenance, record.progress) == (1.5, {"torch": "2"}, 1.0)
        assert record.started is not None and record.finished is not None and record.started <= record.finished
        assert len(store.results.statuses([cell.id for cell in new_cells(5)])) == 5

    def test_many_ids_at_once(self, store: Store) -> None:
        """More ids than one statement takes are split; those that are not there are left out."""
        ids = fill(store, 2100)
        asked = [*ids, digest("absent")]
        assert store.results.get_many(asked).keys() == set(ids)
        assert store.results.statuses(asked) == dict.fromkeys(ids, "pending")
        assert store.results.progress_of(asked) == dict.fromkeys(ids, 0.0)
        assert store.results.get(digest("absent")) is None
        assert store.results.get_many([]) == {}

    def test_runs(self, store: Store) -> None:
        """The last run of a suite is the one that was saved last."""
        assert store.results.last_run("accuracy") is None
        rows = [{"z": 1, "a": [digest(1)]}, {"z": 2, "a": []}]
        first = store.results.save_run("accuracy", {"ipc": [1]}, [])
        second = store.results.save_run("accuracy", {"ipc": [1, 10]}, rows)
        third = store.results.save_run("other", {}, [])
        assert first < second < third
        last = store.results.last_run("accuracy")
        assert last is not None and (last.id, last.config, last.rows) == (second, {"ipc": [1, 10]}, rows)
        assert list(last.rows[0]) == ["z", "a"], "columns keep their order"
        assert [run.id for run in store.results.runs()] == [third, second, first]

    def test_results_are_strict_json(self, store: Store) -> None:
        """What is not a number is refused with a sentence, and the cell is still held."""
        (cell,) = fill(store, 1)
        store.claims.claim([cell], "me", LEASE)
        with pytest.raises(BadInput, match="the result of cell"):
            store.claims.finish(cell, "me", {"loss": float("nan")}, 1.0, {})
        store.claims.fail(cell, "me", "diverged")

    def test_artifacts_by_id_prefix_and_name(self, store: Store) -> None:
        """An artifact is found by all three; what is ambiguous, unknown or of another kind says so."""
        twins = ["abcd" + "0" * 60, "abcd" + "1" * 60]
        (cell,) = fill(store, 1)
        store.register_artifact(twins[0], "distilled", "digits-dm", cell, 10**12)
        store.register_artifact(twins[1], "model", None, None, 20)
        store.register_artifact(twins[0], "distilled", None, None, 0)  # known already: nothing is lost
        for text in (twins[0], "abcd0", "digits-dm"):
            assert store.resolve_artifact(text) == twins[0]
        assert store.resolve_artifact("abcd", kind="model") == twins[1]
        wrong = {
            "abcd": "several artifacts",
            "digits-dn": "did you mean 'digits-dm'",
            "abc": "unknown artifact",
            "%": "unknown",
        }
        for text, problem in wrong.items():
            with pytest.raises(BadInput, match=problem):
                store.resolve_artifact(text)
        with pytest.raises(BadInput, match="of kind distilled"):
            store.resolve_artifact("digits-dm", kind="model")
        assert store.cell_of(twins[0]) == cell
        assert store.cell_of(twins[1]) is None and store.cell_of("0" * 64) is None
        store.register_artifact(twins[1], "model", "digits-dm", None, 20)
        assert store.resolve_artifact("digits-dm") == twins[1], "the newest to ask for a name has it"
        assert store.resolve_artifact("abcd0") == twins[0], "the one before is still there by its id"

    def test_what_is_kept_is_written_and_found(self, store: Store) -> None:
        """An artifact that is kept can be read, and is in the catalogue under its name and with its maker."""
        import torch  # here, since every process of these tests imports this module

        (cell,) = fill(store, 1)
        tensors, card = {"weights": torch.ones(3)}, {"epoch": 5, "cost": {"seconds": 1.0}}
        artifact = store.keep("model", tensors, card, name="mine", cell=cell, extra={"README.md": b"# It"})
        found = store.artifacts.read(artifact)
        assert (found.kind, found.card) == ("model", card) and torch.equal(found.tensors["weights"], torch.ones(3))
        assert (store.artifacts.folder(artifact) / "README.md").read_bytes() == b"# It"
        assert store.resolve_artifact("mine", "model") == artifact and store.cell_of(artifact) == cell
        assert store.keep("model", tensors, card | {"cost": {"seconds": 9.0}}) == artifact, "what it cost names nothing"
        assert store.resolve_artifact("mine") == artifact and store.cell_of(artifact) == cell

    def test_an_artifact_from_elsewhere_is_kept_by_its_folder(self, store: Store, tmp_path: Path) -> None:
        """A folder that was exported is copied and found by its id; the copy has no maker."""
        import torch

        with open_store(str(tmp_path / "elsewhere.db")) as other:
            artifact = other.keep("zca", {"mean": torch.zeros(4)}, {"eps": 0.1}, name="theirs")
            other.artifacts.export(artifact, tmp_path / "out")
        assert store.keep_folder(tmp_path / "out") == artifact
        assert store.resolve_artifact(artifact[:12], "zca") == artifact and store.cell_of(artifact) is None
        assert torch.equal(store.artifacts.read(artifact).tensors["mean"], torch.zeros(4))
