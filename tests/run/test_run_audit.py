"""What an audit says of sets in which something was planted, and of sets in which there is nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from test_run_nearest import moved

from stillproof.core.errors import BadInput, DataMissing, UnknownName
from stillproof.data.load import load
from stillproof.distill.grids.grid import pack_grids
from stillproof.importers.import_options import ImportOptions
from stillproof.report.audit.audit import Audit
from stillproof.run.stage import answer_of
from stillproof.session import Session
from stillproof.suites.requests import Part, Request, distilled, real_images, stored_set, trained

TRAIN, TEST = (load("digits", split, Path()) for split in ("train", "test"))
SMALL = "convnet-1:width=4"
CHOSEN = torch.cat([TRAIN.of_class(label)[:4] for label in range(10)])
CLASSES = TRAIN.labels[CHOSEN]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("audit") / "s.db")) as opened:
        yield opened


def verdicts(found: Audit) -> dict[str, str]:
    return {line.key: line.verdict for line in found.lines}


def said(found: Audit, key: str) -> str:
    return next(f"{line.found} / {line.meaning}" for line in found.lines if line.key == key)


def test_planted_test_images_are_named_with_what_they_copy(session: Session) -> None:
    images, planted = TRAIN.read(CHOSEN), TEST.read(torch.tensor([11, 12, 13, 14]))
    images[3], images[7], images[12] = planted[0], moved(planted[1:2], 1, 0)[0], planted[2].flip(2)
    images[39] = (planted[3] + 0.02 * torch.randn(planted[3].shape, generator=torch.Generator().manual_seed(0))).clamp(
        0, 1
    )
    found = session.audit((images, CLASSES), dataset="digits")
    assert found.verdict == "problem"
    copies = [
        (one["image"], one["how"], one["test"], one["shift"], one["mirrored"]) for one in found.as_dict()["copies"]
    ]
    assert copies == [
        (3, "exact", 11, [0, 0], False),
        (7, "near", 12, [1, 0], False),
        (12, "near", 13, [0, 0], True),
        (39, "near", 14, [0, 0], False),
    ]
    assert said(found, "test-exact").startswith("1 of 40: 3 /") and said(found, "test-near").startswith("3 of 40: 7,")
    wrong = sum(int(TEST.labels[test]) != int(CLASSES[image]) for image, _, test, _, _ in copies)
    assert wrong > 0 and said(found, "labels").startswith(f"{wrong} of 40")
    assert set(found.arrays["shown"][:4].tolist()) == {3, 7, 12, 39}, "they come first in the picture"
    shown = {
        int(place): picture for place, picture in zip(found.arrays["shown"], found.arrays["shown.test"], strict=True)
    }
    assert np.array_equal(shown[7], TEST.images[12].numpy())


def test_training_images_are_copies_of_training_images_and_of_no_test_image(session: Session) -> None:
    found = session.audit((TRAIN.read(CHOSEN), CLASSES), dataset="digits")
    assert said(found, "train").startswith("40 of 40 byte by byte, 0 nearly / Real images")
    assert {verdicts(found)[key] for key in ("test-exact", "test-near", "test-features", "leaning")} == {"ok"}
    assert found.as_dict()["copies"] == [] and verdicts(found)["labels"] == "ok"
    assert np.array_equal(found.arrays["train.index"], CHOSEN.numpy())


def test_twins_of_digits_do_not_ring(session: Session) -> None:
    # All training images, those that have a lookalike among the test images too.
    found = session.audit((TRAIN.read(slice(None)), TRAIN.labels), dataset="digits")
    assert found.as_dict()["copies"] == [] and verdicts(found)["leaning"] == "ok"
    made = session.audit(session.distill("digits", "dm:steps=3", 4, network=SMALL))
    assert made.as_dict()["copies"] == []


def test_a_set_made_from_test_images_leans_towards_them(session: Session) -> None:
    draw = torch.Generator().manual_seed(0)
    blurred = TEST.read(slice(0, 100)) + 0.2 * torch.randn(100, 1, 8, 8, generator=draw)
    found = session.audit((blurred.clamp(0, 1), TEST.labels[:100]), dataset="digits")
    assert verdicts(found)["leaning"] == "look" and "was it made from test images?" in said(found, "leaning")


def test_four_test_images_in_one_are_found_in_their_quarter(session: Session, tmp_path: Path) -> None:
    places = torch.cat([TRAIN.of_class(label)[:4] for label in range(10)]).reshape(10, 4).T.flatten()
    whole = TRAIN.read(places)
    whole[10 + 7], whole[30 + 2] = TEST.read(slice(50, 51))[0], TEST.read(slice(60, 61))[0]
    torch.save((pack_grids(whole), torch.arange(10)), tmp_path / "grids.pt")
    made, _ = session.import_sets(tmp_path / "grids.pt", "digits", ImportOptions(decode="grid2x2", space="pixels"))
    found = session.audit(made[0])
    copies = {(one["image"], one["quadrant"], one["test"]) for one in found.as_dict()["copies"] if one["how"] == "near"}
    assert copies == {(7, "bottom left", 50), (2, "bottom right", 60)}
    assert "2 of 40: 7 (bottom left), 2 (bottom right)" in said(found, "test-near")
    clean = session.audit(session.distill("digits", "random:form=grid2x2", 2, network=SMALL))
    assert clean.as_dict()["copies"] == [] and said(clean, "train").startswith("0 of 80 byte by byte, ")


def test_duplicates_empty_classes_and_wrong_labels_are_seen(session: Session) -> None:
    images, labels = TRAIN.read(CHOSEN), CLASSES.clone()
    images[1], labels[labels == 9] = images[0], 8
    soft = torch.nn.functional.one_hot(labels, 10).float()
    soft[0] += 0.001
    found = session.audit((images, soft / soft.sum(1, keepdim=True)), dataset="digits")
    assert said(found, "duplicates").startswith("1 of 40: 1")
    assert said(found, "classes") == "1 of 10: 9 / Networks never see these classes."
    assert said(found, "labels").startswith("4 of 40: 36, 37, 38, 39")
    assert {verdicts(found)[key] for key in ("duplicates", "classes", "labels")} == {"look"}


def test_values_outside_the_range_and_heavy_labels_are_told(session: Session) -> None:
    found = session.audit(session.distill("digits", "dm:steps=20:lr=50", 1, network=SMALL))
    assert verdicts(found)["range"] == "look" and verdicts(found)["source"] == "ok"
    assert 0.01 < found.result["outside"]["share"] < 1 and verdicts(found)["bytes"] == "ok"


def test_soft_labels_say_whose_they_are(session: Session) -> None:
    made = distilled(real_images("digits"), "random", 1, 0, SMALL)
    verdict_of: dict[Part, str] = {"train": "look", "fit": "ok"}
    for part, verdict in verdict_of.items():
        teacher = trained(real_images("digits", part), SMALL, "smoke", 0)
        for labels in ("stored", "taught"):
            found = session.audit(Request("relabel", of=made, labels=labels, teachers=(teacher,)))
            assert found.origin.teachers[0].startswith(f"digits/{part}@")
            assert verdicts(found)["knowledge"] == verdict and "a teacher's answers" in said(found, "knowledge")
    assert verdicts(found)["bytes"] == "look", "a teacher is heavier than ten images"
    own = torch.full((40, 10), 0.1)
    unknown = session.audit((TRAIN.read(CHOSEN), own), dataset="digits")
    assert verdicts(unknown)["knowledge"] == "look" and "of which images is unknown" in said(unknown, "knowledge")
    assert unknown.as_dict()["origin"] == {"data": None, "labels": "probs", "teachers": []}


def test_a_set_of_the_fitted_part_and_an_imported_one_say_so(session: Session) -> None:
    fit = session.audit(session.distill("digits", "random", 1, network=SMALL, part="fit"))
    assert said(fit, "source").startswith("training images, part 'fit'") and verdicts(fit)["source"] == "ok"
    own = session.audit((TRAIN.read(CHOSEN), CLASSES), dataset="digits")
    assert verdicts(own)["source"] == "look" and said(own, "source").startswith("unknown")


def test_the_answer_is_a_cell_that_is_computed_once(session: Session) -> None:
    made = session.distill("digits", "random", 1, network=SMALL)
    first = session.audit(made)
    planner = session._planner()
    cell = planner.plan(Request("audit", of=stored_set(made.artifact, "digits", made.cell, 10)))
    before = session.store.results.get(cell.id)
    again = session.audit(made.name)
    assert before is not None and session.store.results.get(cell.id) == before
    assert again.as_dict() == first.as_dict() and answer_of(cell.id, session.store) == first.result


def test_one_image_is_enough(session: Session) -> None:
    soft = torch.full((1, 10), 0.1)
    found = session.audit((TEST.read(slice(0, 1)), soft), dataset="digits")
    assert found.verdict == "problem" and verdicts(found)["duplicates"] == "ok"


def test_what_is_no_distilled_set_is_refused(session: Session) -> None:
    with pytest.raises(BadInput, match="real images, as they are or attacked: an audit is of a distilled set"):
        session.audit("digits")
    with pytest.raises(UnknownName, match="unknown artifact 'nothing-of-that-name'"):
        session.audit("nothing-of-that-name")
    made = session.distill("digits", "random", 1, network=SMALL)
    with pytest.raises(BadInput, match=r"10 classes of images \(1, 8, 8\), but cifar10 has"):
        session.audit(made, dataset="cifar10")
    with pytest.raises(BadInput, match="end its name in one of"):
        session.audit(made, out="audit.txt")


@pytest.mark.slow
@pytest.mark.parametrize("ipc", [10, 50])
@pytest.mark.parametrize("method", ["random", "herding", "k-center"])
def test_sets_of_real_images_of_cifar10_stay_silent(session: Session, method: str, ipc: int) -> None:
    if "STILLPROOF_DATA" not in os.environ:
        pytest.skip("STILLPROOF_DATA names no folder with real data")
    try:
        found = session.audit(session.distill("cifar10", method, ipc))
    except DataMissing as error:
        pytest.skip(str(error))
    assert found.as_dict()["copies"] == [] and verdicts(found)["leaning"] == "ok"
    assert said(found, "train").startswith(f"{10 * ipc} of {10 * ipc} byte by byte")
