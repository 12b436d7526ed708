from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stillproof.core.components import suites
from stillproof.core.presets import SCALES, preset_params
from stillproof.suites.accuracy import Accuracy
from stillproof.suites.beard.suite import Beard
from stillproof.suites.fixed_set import FixedSet
from stillproof.suites.requests import Request, Row

SECTIONS = [section.name for section in Beard.reports]


def suite(scale: str = "smoke", **options: Any) -> Beard:
    found = suites.build("beard", preset_params(suites.get("beard"), scale, "", 1) | options)
    assert isinstance(found, Beard)
    return found


def of(rows: Iterable[Row], **keys: Any) -> list[Row]:
    return [row for row in rows if all(row.keys.get(key) == value for key, value in keys.items())]


def parts(request: Request, stage: str) -> Iterator[Request]:
    """Yield all requests of a stage that a request is made of, itself among them."""
    if request.stage == stage:
        yield request
    for value in request.params.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Request):
                yield from parts(part, stage)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("protocol", ["fair", "faithful"])
def test_every_scale_asks_every_question(scale: str, protocol: str) -> None:
    assert {row.keys["section"] for row in suite(scale, protocol=protocol).rows()} == set(SECTIONS)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_can_be_asked_alone(section: str) -> None:
    assert {row.keys["section"] for row in suite(sections=[section]).rows()} == {section}


def test_a_section_says_what_it_asks_as_the_page_about_the_suite_does() -> None:
    page = (Path(__file__).parents[2] / "docs" / "beard.md").read_text(encoding="utf-8")
    for section in Beard.reports:
        assert f"| `{section.name}` | {section.question} |" in page
        assert section.title and section.reading.endswith(".")


def test_models_are_those_of_suite_accuracy() -> None:
    quick = suites.build("accuracy", preset_params(suites.get("accuracy"), "quick", "", 1))
    assert isinstance(quick, Accuracy)
    trained = {request for row in quick.rows() for request in row.requests}
    ours = suite("quick")
    asked = of(ours.rows(), section="scores", measure="accuracy", attack="pgd", mode="untargeted")
    assert asked and all(request.model in trained for row in asked for request in row.requests)


def test_an_attack_without_a_ball_is_judged_within_one() -> None:
    for protocol, stage in (("fair", "within"), ("faithful", "attack")):
        rows = of(suite("quick", protocol=protocol).rows(), section="scores", attack="deepfool", measure="accuracy")
        assert {request.stage for row in rows for request in row.requests} == {stage}


@pytest.mark.parametrize(
    ("attack", "options", "ball"),
    [
        ("deepfool", {}, ("L2", 128 / 255)),
        ("cw:steps=3", {"linf_eps": 0.1}, ("L2", 128 / 255)),
        ("ddn", {"l2_eps": 0.7}, ("L2", 0.7)),
        ("fab", {}, ("Linf", 8 / 255)),
        ("fab-t", {}, ("Linf", 8 / 255)),
        ("fmn", {"linf_eps": 0.1}, ("Linf", 0.1)),
        ("fmn-l2", {"linf_eps": 0.1}, ("L2", 128 / 255)),
        ("fab:norm=L1", {}, ("L1", 12.0)),
        ("fab:farthest=0.1", {}, None),
        ("fab-t:norm=L2:farthest=0.5", {}, None),
        ("deepfool:norm=Linf", {}, ("Linf", 8 / 255)),
        ("onepixel", {}, None),
        ("pgd-l2", {}, None),
    ],
)
def test_an_attack_without_a_ball_is_judged_in_that_of_its_norm(
    attack: str, options: dict[str, Any], ball: tuple[str, float] | None
) -> None:
    rows = of(suite(attacks=(attack,), **options).rows(), section="scores", attack=attack, measure="accuracy")
    asked = [request for row in rows if row.keys["mode"] == "untargeted" for request in row.requests]
    assert asked and {request.stage for request in asked} == {"attack" if ball is None else "within"}
    assert all(ball is None or (request.norm, request.eps) == ball for request in asked)


def test_real_images_are_trained_on_as_the_original_does_under_its_protocol() -> None:
    def recipes(**options: Any) -> set[str]:
        rows = Beard(methods=("random",), ipc=(1,), seeds=1, sections=("curves",), **options).rows()
        return {row.keys["recipe"] for row in rows if row.keys["method"] == "full"}

    assert recipes() == {"real"} and recipes(full_recipe="") == set()
    assert recipes(protocol="faithful") == {"beard"} and recipes(protocol="faithful:beard", recipe="quick") == {"quick"}
    assert recipes(protocol="faithful", full_recipe="real") == {"real"}


def test_all_real_images_are_one_row_even_if_they_are_named_as_a_method() -> None:
    named = of(suite(methods=("full", "random")).rows(), section="curves", norm="L2", defence="")
    assert [(row.keys["method"], row.keys["ipc"]) for row in named] == [("full", None), ("random", 1)]


def test_sets_of_several_sizes_that_share_a_name_are_one_method() -> None:
    sets = [FixedSet("mine", str(ipc) * 64, "digits", ipc, 10 * ipc).reference() for ipc in (1, 2)]
    rows = of(suite(methods=tuple(sets), full_recipe="").rows(), section="defences", measure="worst", mode="targeted")
    assert {(row.keys["method"], row.keys["ipc"]) for row in rows} == {("mine", 2)}, "the largest of them"


def test_targeted_attacks_aim_at_the_next_class() -> None:
    for mode, targets in (("untargeted", {None}), ("targeted", {"next"})):
        rows = of(suite().rows(), section="scores", mode=mode)
        assert {one.targets for row in rows for request in row.requests for one in parts(request, "attack")} == targets


def test_curves_are_in_pixels_whatever_the_protocol() -> None:
    rows = of(suite(protocol="faithful").rows(), section="curves")
    assert {one.protocol for row in rows for request in row.requests for one in parts(request, "attack")} == {"fair"}


def test_defended_models_are_of_the_largest_sets() -> None:
    rows = [row for row in suite("quick").rows() if row.keys["defence"]]
    assert {row.keys["ipc"] for row in rows} == {None, 10}
    assert all(train.defence == row.keys["defence"] for row in rows for train in parts(row.requests[0], "train"))


def test_a_set_of_ones_own_is_asked_about_at_its_own_size() -> None:
    mine = FixedSet("mine", "30622e685448", "digits", ipc=20, count=200).reference()
    rows = suite("quick", methods=("dm", mine), full_recipe="").rows()
    for section in ("defences", "convergence"):
        asked = {(row.keys["method"], row.keys["ipc"]) for row in of(rows, section=section)}
        assert asked == {("dm", 10), ("mine", 20)}


def test_an_epoch_can_be_chosen_on_held_out_images() -> None:
    for row in suite(selection="heldout").rows():
        for train in parts(row.requests[0], "train"):
            assert train.heldout == "heldout"


def test_curves_reach_as_far_as_a_data_set_asks_for() -> None:
    def reaches(**options: Any) -> set[float]:
        return {row.requests[0].largest for row in of(suite(**options).rows(), section="curves", norm="Linf")}

    assert reaches() == {0.2} and reaches(dataset=("cifar10",)) == {8 / 255}
    assert reaches(linf_eps=0.1) == {0.1}


def test_without_times_nothing_is_timed() -> None:
    assert not of(suite(timed=0).rows(), measure="time")


@pytest.mark.parametrize(
    "wrong",
    [
        {"linf_eps": 0.0},
        {"limit": -1},
        {"steps": (0,)},
        {"seeds": 0},
        {"attacks": (), "targeted_attacks": ()},
        {"sections": ("x",)},
    ],
)
def test_bad_questions_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=next(iter(wrong)).removesuffix("s")):
        suite(**wrong)
