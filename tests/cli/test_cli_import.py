from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from commands import TINY, Commands, query

LABELS = torch.arange(10).repeat_interleave(2)
SMOKE = ["--recipe", "smoke", "--seeds", "1", *TINY]


class Bomb:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, ("touch ruin",)


def images(seed: int = 0, size: int = 8) -> torch.Tensor:
    return torch.randn(20, 1, size, size, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("foreign")
    accuracies = {"ConvNet": [np.float64(0.5)]}
    for name, count in (("DC", 1), ("DSA", 3)):
        data = [[images(seed), LABELS] for seed in range(count)]
        torch.save({"data": data, "accs_all_exps": accuracies}, made / f"res_{name}_digits_ConvNet_2ipc.pt")
    (made / "mtt").mkdir()
    for name, value in {"images": images(), "labels": LABELS, "lr": torch.tensor(0.03125)}.items():
        torch.save(value, made / "mtt" / f"{name}_best.pt")
    weights = {"features.0.weight": torch.zeros(4, 1, 3, 3), "features.0.bias": torch.zeros(4)}
    weights |= {"features.1.weight": torch.zeros(4), "features.1.bias": torch.zeros(4)}
    weights |= {"classifier.weight": torch.zeros(10, 64), "classifier.bias": torch.zeros(10)}
    torch.save(weights, made / "model.pth")
    torch.save({"data": Bomb()}, made / "bomb.pt")
    torch.save({"data": [[images(size=9), LABELS]]}, made / "large.pt")
    torch.save({"data": [[torch.zeros(10, 1, 28, 28), torch.arange(10)]]}, made / "mnist.pt")
    (made / "short.pt").write_bytes((made / "large.pt").read_bytes()[:900])
    (made / "empty.pt").touch()
    (made / "notes.txt").write_text("nothing")
    return made


def test_a_set_is_imported_and_trained_on(folder: Path, stillproof: Commands) -> None:
    done = stillproof("import", "res_DC_digits_ConvNet_2ipc.pt", "--dataset", "digits", cwd=folder)
    name = done.out.partition(":")[0]
    assert done.code == 0 and name.startswith("DC-digits-2ipc-") and f"next: stillproof train {name}" in done.out
    assert "found: format results" in done.err and "found: method DC" in done.err
    named = stillproof("train", name, *SMOKE, "--json", cwd=folder).json()
    direct = stillproof("train", "res_DC_digits_ConvNet_2ipc.pt", "--dataset", "digits", *SMOKE, "--json", cwd=folder)
    assert direct.json() == named and "found: format results" in direct.err


def test_json_tells_what_was_found(folder: Path, stillproof: Commands) -> None:
    argv = ["import", "mtt", "--dataset", "digits", "--json", "--out", "copy"]
    printed = stillproof(*argv, cwd=folder).json()
    (made,) = printed["sets"]
    assert made["recipe"] == "dc-bench-dsa:lr=0.03125"
    assert made["path"] == "copy" and printed["models"] == []
    assert any("learning rate 0.03125" in sentence for sentence in printed["found"])
    assert (folder / "copy" / "preview.png").is_file()
    again = stillproof(*argv, cwd=folder).json()["sets"][0]
    assert (made["cached"], again["cached"], again["artifact"]) == (False, True, made["artifact"])


def test_several_experiments_are_several_sets(folder: Path, stillproof: Commands) -> None:
    path = "res_DSA_digits_ConvNet_2ipc.pt"
    made = stillproof("import", path, "--dataset", "digits", "--out", "runs", "--json", cwd=folder).json()["sets"]
    assert [one["path"] for one in made] == [f"runs/experiment-{number}" for number in range(3)]
    one = stillproof("import", path, "--dataset", "digits", "--experiment", "0", "--json", cwd=folder).json()["sets"]
    assert [found["artifact"] for found in one] == [made[0]["artifact"]]
    last = stillproof("train", path, "--dataset", "digits", *SMOKE, "--json", cwd=folder)
    named = stillproof("train", made[2]["name"], *SMOKE, "--json", cwd=folder)
    assert last.json() == named.json() and "3 experiments, of which number 2 is taken" in last.err


def test_two_files_of_any_names_are_a_set_with_a_name(folder: Path, stillproof: Commands) -> None:
    torch.save(images(), folder / "first.pt")
    np.save(folder / "second.npy", LABELS.numpy())
    argv = ["import", "--images", "first.pt", "--labels", "second.npy", "--dataset", "digits", "--method", "my-set"]
    (made,) = stillproof(*argv, "--json", cwd=folder).json()["sets"]
    assert (made["format"], made["method"], made["recipe"]) == ("two-files", "my-set", "dc-bench")
    assert made["name"].startswith("my-set-digits-2ipc-")
    alone = stillproof("import", "--images", "first.pt", "--dataset", "digits", cwd=folder)
    assert alone.code == 2 and "--images first.pt needs --labels" in alone.sentence()
    nothing = stillproof("import", "--dataset", "digits", cwd=folder)
    assert nothing.code == 2 and "name one thing to import" in nothing.sentence()
    a_set_is_a_row_beside_distillers(folder, stillproof, made)


def a_set_is_a_row_beside_distillers(folder: Path, stillproof: Commands, made: dict[str, Any]) -> None:
    few = ["--scale", "smoke", "--seeds", "1", "--set", "full_recipe=", *TINY]
    run = ["run", "accuracy", "--dataset", "digits", "--methods", "my-set,random,mtt/images_best.pt", *few]
    table = stillproof(*run, cwd=folder)
    assert table.code == 0 and f"One set for all seeds: my-set (artifact {made['artifact'][:12]})" in table.out
    assert "found: format trajectory" in table.err
    shown = stillproof("table", "accuracy", "--json", cwd=folder).json()
    labels = [row["method"] for row in shown["rows"]]
    assert labels == ["random", "my-set", "images_best.pt"]
    assert (
        stillproof("gallery", "--run", "accuracy", "--json", cwd=folder).json()["sets"][0]
        == "my-set, digits, 2 per class"
    )
    assert stillproof("plot", "accuracy", cwd=folder).code == 0


def test_a_checkpoint_becomes_a_model(folder: Path, stillproof: Commands) -> None:
    printed = stillproof("import", "model.pth", "--dataset", "digits", "--json", cwd=folder).json()
    (made,) = printed["models"]
    assert printed["sets"] == [] and "convnet" in made["network"] and made["bytes"] > 0
    assert json.loads((Path(made["path"]) / "card.json").read_text())["kind"] == "model"
    told = stillproof("import", "model.pth", "--dataset", "digits", cwd=folder).out.splitlines()
    assert told[-1] == f"next: stillproof attack {made['name']} --dataset digits --attack pgd"
    assert stillproof(*told[-1].split()[2:], "--limit", "2", cwd=folder).code == 0


BAD = [
    (["import", "absent.pt", "--dataset", "digits"], 2, "absent.pt is not there."),
    (["import", "empty.pt", "--dataset", "digits"], 2, "empty.pt is empty."),
    (["import", "short.pt", "--dataset", "digits"], 2, "short.pt is cut short, damaged or no file of torch.save"),
    (["import", "bomb.pt", "--dataset", "digits"], 2, "it asks for posix.system"),
    (["import", "notes.txt", "--dataset", "digits"], 2, "notes.txt has no known format"),
    (["import", "large.pt", "--dataset", "digits"], 2, "images (20, 1, 9, 9) and labels (20,) do not fit digits"),
    (["import", "large.pt", "--dataset", "digit"], 2, "unknown data set 'digit'"),
    (["import", "large.pt", "--dataset", "digits", "--format", "xyz"], 2, "unknown format 'xyz'"),
    (["import", "large.pt", "--dataset", "digits", "--space", "rgb"], 2, "unknown space 'rgb'"),
    (["import", "large.pt", "--dataset", "digits", "--mean", "a"], 2, "--mean 'a' is not a comma-separated list"),
    (["import", "large.pt"], 2, "--dataset"),
    (
        ["import", "large.pt", "--dataset", "digits", "--images", "a.pt"],
        2,
        "name one thing to import: PATH, or two files",
    ),
    (["import", "large.pt", "--dataset", "digits", "--method", "a b"], 2, "method 'a b' is not a name"),
    (["import", "mnist.pt", "--dataset", "mnist", "--space", "zca"], 3, "stillproof data get mnist"),
    (["train", "bomb.pt", "--dataset", "digits", *SMOKE], 2, "it asks for posix.system"),
    (["train", "large.pt", *SMOKE], 2, "say with --dataset which data set it stands for"),
    (["train", "large.pt", "--dataset", "digits", *SMOKE], 2, "do not fit digits"),
]


@pytest.mark.parametrize(("argv", "code", "words"), BAD)
def test_bad_files_end_in_one_sentence_and_leave_nothing(
    folder: Path, tmp_path: Path, stillproof: Commands, argv: list[str], code: int, words: str
) -> None:
    path = str(folder / argv[1])
    done = stillproof(argv[0], path, *argv[2:], "--store", str(tmp_path / "s.db"), cwd=tmp_path)
    assert done.code == code and words in done.sentence()
    if code == 2 and argv[0] == "import":
        assert list(tmp_path.iterdir()) == []  # not even an empty store
    if (tmp_path / "s.db").exists():
        assert query(tmp_path / "s.db", "select count(*) from cells") == [(0,)]
