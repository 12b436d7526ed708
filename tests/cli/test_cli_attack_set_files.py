"""stillproof attack-set export and import: there and back, and what is refused on the way."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from commands import TINY, Commands, Done
from stillproof import Session

ATTACKS = ["fgsm:eps=4/255", "mad/13", "mad/18:steps=3:eps=4/255"]


@dataclass(frozen=True)
class Place:
    folder: Path
    model: str
    commands: Commands

    def __call__(self, *argv: str) -> Done:
        return self.commands("attack-set", *argv, cwd=self.folder)

    def arrays(self, name: str) -> list[dict[str, Any]]:
        with Session(str(self.folder / "stillproof.db")) as session:
            artifacts = session.found_attack_set(name).artifacts
            return [session.store.artifacts.arrays(artifact) for artifact in artifacts]


@pytest.fixture(scope="module")
def place(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a store with a set under three attacks, and that set as a folder."""
    folder = tmp_path_factory.mktemp("attack-set-files")
    with Session(str(folder / "stillproof.db")) as session:
        model = session.train("digits", network=TINY[1], recipe="smoke", seeds=1).models[0]
        session.attack_set("digits", model, ATTACKS, per_class=6, name="built")
    made = Place(folder, model, stillproof)
    assert made("export", "built", "built-folder").code == 0
    return made


def copied(place: Place, name: str) -> Path:
    return Path(shutil.copytree(place.folder / "built-folder", place.folder / name))


def test_a_set_is_written_as_mad_writes_it(place: Place) -> None:
    found = place("export", "built", "again", "--json").json()
    assert found == {"set": "built", "folders": ["again/fgsm-eps-4-255", "again/13", "again/18"]}
    names = sorted(str(path.relative_to(place.folder / "again")) for path in (place.folder / "again").rglob("*.png"))
    expected = {
        (split, label): count for split, count in (("train", 3), ("val", 1), ("test", 2)) for label in range(10)
    }
    for attack in ("13", "18", "fgsm-eps-4-255"):
        mine = [name.split("/") for name in names if name.startswith(f"{attack}/")]
        assert Counter((split, int(label)) for _, split, label, _ in mine) == expected
    assert names[:4] == ["13/test/0/0_0.png", "13/test/0/0_1.png", "13/test/1/1_0.png", "13/test/1/1_1.png"]
    with Image.open(place.folder / "again" / names[0]) as picture:
        assert (picture.mode, picture.size, picture.format) == ("L", (8, 8), "PNG")
    assert not list(place.folder.glob(".*partial*"))


def test_what_was_written_is_read_with_every_source(place: Place) -> None:
    done = place("import", "built-folder", "--dataset", "digits", "--model", place.model, "--json")
    found, built = done.json(), place("show", "built", "--json").json()
    assert (found["pool"], found["protocol"], found["per_class"], found["split"]) == (
        "built-folder",
        "imported",
        6,
        [3, 1, 2],
    )
    assert [one["attack"] for one in found["attacks"]] == ["mad/13", "mad/18", "fgsm-eps-4-255"]
    order = [1, 2, 0]  # of the attacks as they were built
    for one, at in zip(found["attacks"], order, strict=True):
        assert one["success"]["rounded"] == built["attacks"][at]["success"]["rounded"] == one["success"]["float"]
    before, after = place.arrays("built"), place.arrays("built-folder")
    for one, at in zip(after, order, strict=True):
        where = {source: row for row, source in enumerate(before[at]["sources"].tolist())}
        if at != 1:  # MAD's change of 60/255 brings some near to another image
            assert set(where) == set(one["sources"].tolist())
            rows = [where[source] for source in one["sources"].tolist()]
            for key in ("images", "labels", "roles", "clean_predictions", "rounded_predictions"):
                assert np.array_equal(one[key], before[at][key][rows])
            assert np.allclose(one["l2"], before[at]["l2"][rows], atol=0.02)


def test_a_pool_of_them_is_shown_drawn_and_written_again(place: Place) -> None:
    assert place("import", "built-folder", "--dataset", "digits", "--pool", "plain").code == 0
    text = place("show", "plain")
    assert "Imported: how they were made is not known, and no model was asked of them." in text.out
    assert (
        "found: 20 of the 22 attacks of MAD-M"
        in place("import", "built-folder", "--dataset", "digits", "--pool", "plain").err
    )
    row = place("show", "plain", "--json").json()["attacks"][0]
    assert (row["attack"], row["role"], row["success"], row["right"]) == ("mad/13", "known", None, None)
    assert place("gallery", "plain", "--out", "plain.png").code == 0
    assert place("export", "plain", "plain-folder").code == 0
    pictures = {
        path.relative_to(place.folder / "plain-folder") for path in (place.folder / "plain-folder").rglob("*.png")
    }
    assert len(pictures) == 180
    for path in pictures:
        with (
            Image.open(place.folder / "plain-folder" / path) as one,
            Image.open(place.folder / "built-folder" / path) as other,
        ):
            assert one.tobytes() == other.tobytes()


def test_worn_pictures_are_named_and_the_rest_is_taken(place: Place) -> None:
    root = copied(place, "worn")
    worn, large = root / "13/train/0/0_1.png", root / "13/val/4/4_0.png"
    worn.write_bytes(worn.read_bytes()[:40])
    Image.new("L", (28, 28)).save(large)
    (root / "18/test/9/9_1.png").unlink()
    done = place("import", "worn", "--dataset", "digits")
    assert (
        done.code == 0 and "Warning about mad/13: 2 of 60 pictures are left out: train/0/0_1.png cannot be" in done.out
    )
    assert "val/4/4_0.png has 28 x 28 pixels, but digits has 8 x 8" in done.out
    assert "at least 5 test images per class of digits" in done.out
    rows = place("show", "worn", "--json").json()["attacks"]
    assert {row["attack"]: row["n"] for row in rows} == {"mad/13": 58, "mad/18": 59, "fgsm-eps-4-255": 60}


@pytest.mark.parametrize(
    ("argv", "said", "code"),
    [
        (("export", "built", "built-folder"), "built-folder is not empty: name another one.", 2),
        (("export", "built", "stillproof.db"), "stillproof.db is no folder: name another one.", 2),
        (("export", "nobody", "new"), "this store has no run 'nobody'", 2),
        (("import", "nowhere", "--dataset", "digits"), "nowhere is not there: MAD's layout is <attack>/", 2),
        (("import", "built-folder/13", "--dataset", "digits"), "does not have MAD's layout", 2),
        (("import", "built-folder", "--dataset", "digitz"), "unknown data set 'digitz'", 2),
        (("import", "built-folder", "--dataset", "digits", "--part", "tset"), "unknown split 'tset'", 2),
        (("import", "built-folder", "--dataset", "digits", "--pool", "a b"), "is not a name for a pool", 2),
        (("import", "built-folder", "--dataset", "digits", "--model", "nobody"), "unknown artifact 'nobody'", 2),
        (("import", "built-folder", "--dataset", "mnist", "--pool", "m"), "has 8 x 8 pixels, but mnist has 28 x 28", 2),
        (("import", "built-folder", "--dataset", "mnist", "--model", "x"), "mnist", 3),
    ],
)
def test_what_cannot_be_is_one_sentence(place: Place, argv: tuple[str, ...], said: str, code: int) -> None:
    done = place(*argv)
    assert done.code == code and said in done.sentence()
    assert not (place.folder / "new").exists()


def test_a_model_of_other_images_is_refused(place: Place) -> None:
    other = ("--dataset", "resized:of=digits:size=16", "--model", place.model)
    assert (
        "the model sees images (1, 8, 8), and those of digits are (1, 16, 16)"
        in place("import", "built-folder", *other, "--pool", "other").sentence()
    )


def test_a_pool_of_other_sets_is_left_as_it_is(place: Place) -> None:
    with Session(str(place.folder / "stillproof.db")) as session:
        session.pool_add("taken", session.found_attack_set("built").artifacts)
    before = place("show", "taken", "--json").json()
    done = place("import", "built-folder", "--dataset", "digits", "--pool", "taken")
    assert "pool 'taken' holds other attacked sets, or another model's answers: name another pool." in done.sentence()
    assert place("show", "taken", "--json").json() == before


KILLED = """
import os, signal, sys
from PIL import Image
from stillproof import Session
saved, save = [], Image.Image.save
def save_some(*arguments, **named):
    saved.append(save(*arguments, **named))
    if len(saved) == 100:
        os.kill(os.getpid(), signal.SIGKILL)
Image.Image.save = save_some
Session("stillproof.db").attack_set_export("built", sys.argv[1])
"""


def test_a_killed_export_leaves_nothing_that_looks_finished(place: Place) -> None:
    assert place.commands.python(KILLED, "killed", cwd=place.folder).code == -9
    assert not (place.folder / "killed").exists() and (place.folder / ".killed.partial").is_dir()
    assert "is not there" in place("import", "killed", "--dataset", "digits").sentence()
    assert place("export", "built", "killed").code == 0
    assert len(list((place.folder / "killed").rglob("*.png"))) == 180
    assert not (place.folder / ".killed.partial").exists()
