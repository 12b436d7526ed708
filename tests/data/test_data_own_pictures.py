"""Pictures of one's own without a train/test split, and with broken ones among them."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput, DataMissing, StillproofError
from stillproof.core.types import ImageSet
from stillproof.data import pictures
from stillproof.data.content_split import split_by_content
from stillproof.data.load import load, source
from stillproof.run.cell import Cell
from stillproof.run.executor import OnChange
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.verbs.engine import Watch

CLASSES = {"ant": 10, "bee": 5, "cow": 2}


@pytest.fixture
def leaves(tmp_path: Path) -> Path:
    folder, shade = tmp_path / "leaves", 0
    for name, count in CLASSES.items():
        (folder / name).mkdir(parents=True)
        for number in range(count):
            shade += 3
            picture(shade).save(folder / name / f"{number}.png")
    return folder


def picture(shade: int) -> Image.Image:
    return Image.fromarray(np.full((9, 9, 3), shade, np.uint8))


def parts(reference: str) -> tuple[ImageSet, ImageSet]:
    return load(reference, "train", Path()), load(reference, "test", Path())


def shades(data: ImageSet) -> set[int]:
    return set(data.images[:, 0, 0, 0].tolist())


def test_a_share_of_every_class_is_for_testing(leaves: Path) -> None:
    train, test = parts(f"{leaves}:split=0.2")
    assert test.labels.bincount().tolist() == [2, 1, 1] and train.labels.bincount().tolist() == [8, 4, 1]
    assert not shades(train) & shades(test) and len(shades(train) | shades(test)) == 17
    assert train.info == test.info and train.info.class_names == ("ant", "bee", "cow")
    assert train.info.mean[0] == pytest.approx(train.images[:, 0].double().mean().item() / 255, abs=1e-4)
    long = load(f"image_folder:path={leaves}:split=0.2", "test", Path())
    assert long.id == test.id == load(f"{leaves}(split=0.2)", "test", Path()).id
    assert load(f"{leaves}:split=0.4", "test", Path()).id != test.id
    assert data_title(f"{leaves}:split=0.2") == "leaves" == data_title(f"image_folder:path={leaves}:split=0.2")


def test_the_split_goes_by_what_is_in_the_files(leaves: Path, tmp_path: Path) -> None:
    _, test = parts(f"{leaves}:split=0.3")
    renamed = tmp_path / "renamed"
    for place in sorted(leaves.glob("*/*.png")):
        (renamed / place.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(place, renamed / place.parent.name / f"x{9 - int(place.stem)}.png")
    assert shades(parts(f"{renamed}:split=0.3")[1]) == shades(test)
    for number in range(20):  # copies, which no test may be passed by
        shutil.copy(leaves / "bee" / f"{number % 5}.png", leaves / "bee" / f"copy{number}.png")
    train, test = parts(f"{leaves}:split=0.3:size=9")
    assert not shades(train) & shades(test)


@given(
    counts=st.lists(st.integers(1, 12), min_size=1, max_size=4), share=st.floats(0.05, 0.95), copies=st.integers(1, 3)
)
def test_a_class_of_different_images_is_on_both_sides(counts: list[int], share: float, copies: int) -> None:
    labels = np.repeat(np.arange(len(counts)), counts)
    keys = [f"{(7 * place) % 31:02}" if copies == 1 else f"{place // copies}" for place in range(len(labels))]
    chosen = split_by_content(labels, keys, share)
    for label, count in enumerate(counts):
        mine = np.flatnonzero(labels == label).tolist()
        inside = {keys[place] for place in mine if place in chosen}
        outside = {keys[place] for place in mine if place not in chosen}
        assert not inside & outside
        if len({keys[place] for place in mine}) > 1:
            assert inside and outside
            if copies == 1:
                assert sum(place in chosen for place in mine) == min(max(int(share * count + 0.5), 1), count - 1)
        else:
            assert not inside


def test_what_cannot_be_split_is_refused(leaves: Path) -> None:
    with pytest.raises(
        DataMissing, match=r"leaves/train does not exist: .*, or name .*leaves:split=0.2, which tests on"
    ):
        load(str(leaves), "train", Path())
    with pytest.raises(DataMissing, match=r"leaves:split=0.2, which tests on a fifth"):
        _ = source(str(leaves)).info
    for wrong in ("split=1", "split=-0.1", "split=half"):
        with pytest.raises(BadInput, match="split"):
            source(f"{leaves}:{wrong}")
    with pytest.raises(BadInput, match="did you mean 'split'"):
        source(f"{leaves}:spilt=0.2")
    with pytest.raises(DataMissing, match="elsewhere is not there: put the pictures in elsewhere/CLASS/"):
        load("image_folder:path=elsewhere:split=0.2", "train", Path())
    (leaves / "cow" / "1.png").unlink()
    with pytest.raises(BadInput, match="leaves/cow cannot be split: at least two different pictures"):
        load(f"{leaves}:split=0.2", "train", Path())
    (leaves / "train").mkdir()
    with pytest.raises(BadInput, match=r"leaves has a train/ already: leave split=0.2 out"):
        load(f"{leaves}:split=0.2:size=31", "train", Path())


def test_all_broken_pictures_are_named_at_once(leaves: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("ant/0.png", "ant/1.png", "bee/0.png"):
        (leaves / name).write_bytes(b"not a picture")
    half = leaves / "bee" / "1.png"
    half.write_bytes(half.read_bytes()[:50])
    with pytest.raises(BadInput) as refused:
        load(f"{leaves}:split=0.2", "train", Path())
    said = str(refused.value)
    assert said.startswith(
        f"4 of 17 pictures in {leaves} cannot be read: ant/0.png, ant/1.png, bee/0.png (it is neither"
    )
    assert "bee/1.png (" in said and said.endswith("or add :skip_broken=true to go on without them.")
    with caplog.at_level(logging.WARNING, "stillproof"):
        train, test = parts(f"{leaves}:split=0.2:skip_broken=true")
    assert len(train) + len(test) == 13
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.startswith(
        f"going on without broken pictures: 4 of 17 pictures in {leaves} cannot be read: ant/0.png"
    )


def test_of_many_broken_pictures_some_are_named(leaves: Path) -> None:
    for number in range(40):
        (leaves / "ant" / f"broken{number}.png").write_bytes(b"x")
    with pytest.raises(
        BadInput, match=r"40 of 57 pictures in .*/leaves cannot be read: ant/broken0.png, .* and 30 more"
    ):
        load(f"{leaves}:split=0.2", "train", Path())
    for place in (leaves / "cow").iterdir():
        place.write_bytes(b"x")
    with pytest.raises(BadInput, match=r"leaves/cow holds no \.png, \.jpg or \.jpeg pictures that can be read"):
        load(f"{leaves}:split=0.2:skip_broken=true", "train", Path())


def test_broken_pictures_of_a_folder_with_its_own_split(leaves: Path, tmp_path: Path) -> None:
    for part in ("train", "test"):
        shutil.copytree(leaves, tmp_path / "mine" / part)
    (tmp_path / "mine" / "test" / "bee" / "2.png").write_bytes(b"x")
    with pytest.raises(BadInput, match=r"1 of 17 pictures in .*mine/test cannot be read: bee/2.png \(it is neither"):
        load(str(tmp_path / "mine"), "test", Path())
    allowed = f"{tmp_path / 'mine'}:skip_broken=true:allow_test_images=true"  # copies of those in train/
    assert len(load(allowed, "test", Path())) == 16
    assert (
        load(f"{tmp_path / 'mine'}:skip_broken=true", "train", Path()).id
        == load(str(tmp_path / "mine"), "train", Path()).id
    )


def test_pictures_that_are_in_both_parts_are_refused_by_name_unless_they_are_allowed(
    leaves: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    for part in ("train", "test"):
        shutil.copytree(leaves, mine / part)
    for file in (mine / "test").glob("*/*.png"):
        if file.name != "0.png":
            file.unlink()
    shared = sorted(str(file.relative_to(mine)) for file in (mine / "test").glob("*/*.png"))
    with pytest.raises(
        BadInput, match=rf"{len(shared)} of {len(shared)} test pictures of .* are training pictures"
    ) as no:
        load(str(mine), "test", Path())
    assert all(name in str(no.value) for name in shared[:3]) and "allow_test_images=true" in str(no.value)
    assert len(load(str(mine), "train", Path())) > 0, "nothing is tested then"
    assert load(f"{mine}:allow_test_images=true", "test", Path()).id.startswith("image_folder/test@")
    with Session(str(tmp_path / "s.db")) as session, pytest.raises(BadInput, match="are training pictures, too"):
        session.train(str(mine), network="convnet-1:width=4", recipe="smoke", seeds=1)


def test_a_picture_that_was_saved_again_is_the_same_picture(leaves: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(leaves, mine / "train")
    one = next((mine / "train").glob("*/*.png"))
    kept = mine / "test" / one.parent.name / "again.png"
    kept.parent.mkdir(parents=True)
    Image.open(one).save(kept, compress_level=1)
    with pytest.raises(BadInput, match=r"1 of 1 test pictures .*again\.png is train/"):
        load(str(mine), "test", Path())


def test_a_session_takes_them_by_their_short_name(
    leaves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(leaves.parent)
    with Session(str(tmp_path / "s.db")) as session:
        made = session.distill("leaves:split=0.2:size=8", "random", 1, network="convnet-1:width=4")
        assert made.name.startswith("random-leaves-1ipc-s0-")
        score = session.train(made, network="convnet-1:width=4", recipe="smoke", seeds=1)
        assert (score.dataset, score.n_test) == ("leaves:split=0.2:size=8", 4)
        ceiling = session.train("leaves:split=0.2:size=8", network="convnet-1:width=4", recipe="smoke", seeds=1)
        assert ceiling.n_test == 4
        with pytest.raises(BadInput, match=r"if it holds real pictures of your own, name it as leaves:split=0\.2"):
            session.train("leaves")


@pytest.mark.parametrize("split", ["", ":split=0.2"])
def test_pictures_that_change_while_a_process_holds_them_are_read_again(leaves: Path, split: str) -> None:
    if not split:
        for name in CLASSES:
            for part, number in (("train", 0), ("test", 1)):
                (leaves / part / name).mkdir(parents=True)
                (leaves / name / f"{number}.png").rename(leaves / part / name / f"{number}.png")
            shutil.rmtree(leaves / name)
    before = parts(f"{leaves}{split}")
    same = parts(f"{leaves}{split}")
    assert same[0] is before[0] and same[1] is before[1], "what did not change is kept"
    changed = next(leaves.rglob("ant/0.png"))
    stamp = changed.stat()
    picture(250).save(changed)
    os.utime(changed, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # some tools keep the time
    after = parts(f"{leaves}{split}")
    assert 250 in shades(after[0]) | shades(after[1]) and 250 not in shades(before[0]) | shades(before[1])
    assert after[0].info != before[0].info or after[1].id != before[1].id
    picture(251).save(changed.parent / "new.png")
    assert {one.id for one in parts(f"{leaves}{split}")} != {one.id for one in after}


def test_pictures_that_change_while_they_are_read_are_not_taken(leaves: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = pictures.read_picture

    def read_while_they_change(path: Path, size: int, channels: int) -> NDArray[np.uint8]:
        picture(250).save(leaves / "bee" / "0.png")
        return read(path, size, channels)

    monkeypatch.setattr(pictures, "read_picture", read_while_they_change)
    with pytest.raises(BadInput, match=r"pictures in .*leaves changed while they were read: give the command again"):
        source(f"{leaves}:split=0.2").load(Path(), "train")


def test_a_run_whose_pictures_change_after_it_was_planned_says_so(leaves: Path, tmp_path: Path) -> None:
    with (
        Session(str(tmp_path / "s.db"), on_plan=changing(leaves)) as session,
        pytest.raises(StillproofError, match=r"leaves.* has changed since it was planned.*run the command again"),
    ):
        session.train(f"{leaves}:split=0.2", network="convnet-1:width=4", recipe="quick:epochs=1", seeds=1)


def changing(folder: Path) -> Watch:
    @contextmanager
    def watch(planner: Planner, seconds: Callable[[Cell], float]) -> Iterator[OnChange]:
        picture(250).save(folder / "ant" / "0.png")
        yield lambda *_: None

    return watch
