"""stillproof pool: groups of sets and models, from the command line and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import Commands
from stillproof.core.errors import BadInput
from stillproof.session import Session

NETWORK = "convnet-1:width=4"


@pytest.fixture(scope="module")
def folder(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store that has a set and two models, one of them defended."""
    place = tmp_path_factory.mktemp("pools")
    with Session(str(place / "stillproof.db")) as session:
        made = session.distill("digits", "random", 2)
        how: dict[str, Any] = {"network": NETWORK, "recipe": "smoke:epochs=4", "seeds": 1}
        session.train(made, **how)
        session.train("digits", **how, defence="pgd-at:steps=2:eps=0.2")
    return place


def test_a_pool_is_filled_from_runs_and_names_shown_and_exported(folder: Path, stillproof: Commands) -> None:
    assert stillproof("pool", "list", cwd=folder).out.startswith("no pools yet")
    with Session(str(folder / "stillproof.db")) as session:
        calls = [run.id for run in session.store.results.runs_and_calls() if run.verb == "train"]
        (artifact,) = made(session, "distill")
    added = [stillproof("pool", "add", "mine", "--run", str(number), "--json", cwd=folder).json() for number in calls]
    assert sum(len(one["added"]) for one in added) == 3
    assert stillproof("pool", "add", "mine", artifact, "--json", cwd=folder).json()["added"] == []
    shown = stillproof("pool", "show", "mine", "--json", cwd=folder).json()
    assert sorted(one["kind"] for one in shown["members"]) == ["distilled", "model", "model"]
    assert shown["datasets"] == ["digits"]
    assert {one["defence"] for one in shown["members"]} == {None, "pgd-at:eps=0.2:steps=2"}
    table = stillproof("pool", "show", "mine", cwd=folder).out
    assert "pgd-at" in table and "digits" in table and "convnet" in table
    assert "mine" in stillproof("pool", "list", cwd=folder).out
    places = stillproof("pool", "export", "mine", "--out", "there", "--json", cwd=folder).json()["folders"]
    assert len(places) == 3 and all((folder / place / "card.json").is_file() for place in places)
    other = folder / "other"
    other.mkdir()
    again = stillproof("pool", "add", "theirs", *(str(folder / place) for place in places), "--json", cwd=other).json()
    assert sorted(again["added"]) == sorted(one["artifact"] for one in shown["members"])


def made(session: Session, verb: str) -> list[str]:
    """Return what calls of a verb have made."""
    calls = [run.id for run in session.store.results.runs_and_calls() if run.verb == verb]
    return [artifact for call in calls for artifact in session._made_by(str(call))]


def test_what_verbs_make_goes_into_a_pool(folder: Path, stillproof: Commands) -> None:
    small = ["--network", NETWORK, "--recipe", "smoke:epochs=4", "--seeds", "1"]
    assert (
        "1 added to pool own"
        in stillproof("distill", "digits", "random", "--ipc", "2", "--pool", "own", cwd=folder).err
    )
    assert "1 added to pool own" in stillproof("train", "digits", *small, "--pool", "own", cwd=folder).err
    np.savez(folder / "set.npz", images=np.zeros((10, 8, 8, 1), np.float32), labels=np.arange(10))
    taken = stillproof("import", "set.npz", "--dataset", "digits", "--pool", "own", "--json", cwd=folder)
    shown = stillproof("pool", "show", "own", "--json", cwd=folder).json()
    assert [one["kind"] for one in shown["members"]] == ["distilled", "model", "distilled"]
    assert shown["members"][-1]["artifact"] == taken.json()["sets"][0]["artifact"]
    refused = stillproof("distill", "digits", "random", "--ipc", "3", "--pool", "a b", cwd=folder)
    assert refused.code == 2 and "is not a name for a pool" in refused.err
    scored = stillproof(
        "pool", "score", "own", "--attack", "fgsm,pgd:steps=2", "--eps", "0.1", "--limit", "40", cwd=folder
    )
    assert scored.code == 0 and "Pool own under attack, 40 test images of digits" in scored.out
    assert "Models: 1. RR " in scored.out and "pgd:steps=2" in scored.out
    aimed = stillproof("pool", "score", "own", "--attack", "deepfool", "--targeted", "--limit", "40", cwd=folder)
    assert aimed.code == 2 and "DeepFool has no targeted form" in aimed.sentence()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["add", "x"], "name at least one set or model"),
        (["add", "x", "nonsense"], "unknown artifact 'nonsense'"),
        (["add", "a b", "--run", "1"], "is not a name for a pool"),
        (["show", "nonsense"], "unknown pool 'nonsense'"),
    ],
)
def test_bad_input_is_one_sentence(folder: Path, stillproof: Commands, arguments: list[str], says: str) -> None:
    done = stillproof("pool", *arguments, cwd=folder)
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1


def test_a_pool_is_scored_as_one_if_it_is_of_one_data_set(folder: Path) -> None:
    with Session(str(folder / "stillproof.db")) as session:
        models = made(session, "train")[-3:]  # the set, and the models of the first two trainings
        session.pool_add("scored", models)
        scores = session.pool_scores("scored", ["fgsm", "pgd:steps=3"], eps=0.1, limit=60)
        assert len(scores.models) == 2 and scores.rr is not None and scores.ae is not None and scores.crei is not None
        assert 0 <= scores.rr <= 1 and 0 <= scores.ae <= 1
        assert scores.crei == pytest.approx((scores.rr + scores.ae) / 2)
        found = scores.as_dict()
        assert (found["n"], found["protocol"], found["targets"], len(found["attacks"])) == (60, "fair", None, 4)
        text = repr(scores)
        assert "Not checked for gradient masking" in text and f"CREI {100 * scores.crei:.2f}" in text
        assert "pgd:steps=3:eps=0.1" in text
        flat = session.pool_scores("scored", ["none", "fgsm:eps=0.000001"], limit=20)
        assert flat.ae is None and flat.crei is None and "AE -, CREI -" in repr(flat)
        assert "Missing: no attack turns an image" in repr(flat)
        aimed = session.pool_scores("scored", ["fgsm", "pgd", "deepfool"], limit=20, targets="next")
        assert aimed.rr is not None and "Left out, deepfool: DeepFool has no targeted form" in repr(aimed)
        session.pool_add("mixed", models)
        card = dict(session.store.artifacts.read(session.pool("scored").of_kind("model")[0].member.artifact).card)
        tensors = session.store.artifacts.read(session.pool("scored").of_kind("model")[0].member.artifact).tensors
        card["info"] = card["info"] | {"name": "mnist"}
        session.pool_add("mixed", [session.store.keep("model", tensors, card)])
        with pytest.raises(BadInput, match="pool 'mixed' mixes digits and mnist, and a score needs one data set"):
            session.pool_scores("mixed", ["fgsm"])
        session.pool_add("empty", [name for name in models if session.store.names_of([name], "distilled")])
        with pytest.raises(BadInput, match="holds no model"):
            session.pool_scores("empty", ["fgsm"])


def test_attacks_of_a_pool_are_judged_in_balls_of_their_norms(folder: Path) -> None:
    balls = {"fmn:steps=5": ("linf", 8 / 255), "ddn:steps=5": ("l2", 128 / 255), "onepixel:steps=20": ("l1", np.inf)}
    with Session(str(folder / "stillproof.db")) as session:
        (model,) = made(session, "train")[-1:]
        session.pool_add("judged", [model])
        scored = session.pool_scores("judged", list(balls), limit=60).models[0].attacks
        for one, (attack, (norm, eps)) in zip(scored, balls.items(), strict=True):
            found = session.attack(model, "digits", attack, limit=60).outcomes
            assert found is not None and found["success"].any()
            near = found["success"] & (found[norm] <= eps)
            assert one.robust_accuracy == (found["clean_right"] & ~near).sum() / 60


def test_a_pool_says_which_changes_counted(folder: Path) -> None:
    attacks = ["fmn:steps=1", "ddn:steps=1", "deepfool:steps=1", "fab:steps=1:farthest=0.1", "onepixel:steps=1", "fgsm"]
    with Session(str(folder / "stillproof.db")) as session:
        session.pool_add("told", made(session, "train")[-1:])
        fair = session.pool_scores("told", attacks, limit=5)
        faithful = session.pool_scores("told", ["deepfool:steps=1", "fgsm"], limit=5, protocol="faithful")
    balls = [(row["eps"], row["within"] and row["within"]["eps"]) for row in fair.as_dict()["attacks"]]
    assert balls == [(None, 8 / 255), (None, 128 / 255), (None, 128 / 255), (0.1, None), (None, None), (8 / 255, None)]
    assert [note for note in fair.table().notes if note.startswith("Changes of ")] == [
        "Changes of fmn:steps=1 count if they are no larger than 8/255 in Linf.",
        "Changes of ddn:steps=1, deepfool:steps=1 count if they are no larger than 128/255 in L2.",
        "Changes of onepixel:steps=1 count whatever their size.",
    ]
    (said,) = [note for note in faithful.table().notes if note.startswith("Changes of ")]
    assert said == "Changes of deepfool:steps=1 count whatever their size."


def test_a_pool_of_a_merged_store_is_written_below_its_folder_and_nowhere_else(
    tmp_path: Path, stillproof: Commands
) -> None:
    names = [str(tmp_path / "escaped"), "../../escaped", "..", ".ssh", "a/b", "a\x1b[31mb", "two\nlines", " ", "fine"]
    with Session(str(tmp_path / "theirs.db")) as theirs:
        sets = [theirs.distill("digits", "random", 1, seed=seed).artifact for seed in range(len(names))]
        for artifact, name in zip(sets, names, strict=True):
            folder = theirs.store.artifacts.folder(artifact)
            (folder / "authorized_keys").write_text("theirs")
            theirs.store.register_artifact(artifact, "distilled", name, None, 1)
        theirs.store.pools.add("mine", sets)
    (tmp_path / "here").mkdir()
    before = {path for path in tmp_path.rglob("*") if "artifacts" not in str(path)}
    merged = stillproof("db", "merge", str(tmp_path / "theirs.db"), cwd=tmp_path / "here")
    assert f"{len(names) - 1} artifacts came without a name" in merged.err and "\x1b" not in merged.err
    stillproof("pool", "export", "mine", "--out", "a/b/out", cwd=tmp_path / "here")
    stillproof("pool", "export", "mine", "--out", "own", "--store", str(tmp_path / "theirs.db"), cwd=tmp_path / "here")
    found = {path for path in tmp_path.rglob("*") if "artifacts" not in str(path)} - before
    for out in (tmp_path / "here" / "a" / "b" / "out", tmp_path / "here" / "own"):
        wanted = {artifact[:12] for artifact in sets[:-1]} | {"fine"}
        assert {path.name for path in (out / "sets").iterdir()} == wanted
        files = {path.name for path in out.rglob("*") if path.is_file()}
        assert files == {"card.json", "tensors.safetensors", "README.md", "preview.png"}
        found -= {out, *out.rglob("*")}
    assert {path.relative_to(tmp_path / "here").parts[0] for path in found} <= {"a", "stillproof.db"}
