from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from stillproof.core.components import augmentations, recipes, suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, preset_params
from stillproof.suites.dc_bench.suite import DCBench
from stillproof.suites.requests import Request, Row, distilled, real_images

PAGE = Path(__file__).parents[2] / "docs" / "dc-bench.md"
SECTIONS = [section.name for section in DCBench.reports]


def suite(scale: str = "smoke", **options: Any) -> DCBench:
    found = suites.build("dc-bench", preset_params(suites.get("dc-bench"), scale, "", 1) | options)
    assert isinstance(found, DCBench)
    return found


def chosen(rows: Iterable[Row]) -> list[Request]:
    return [request for row in rows for request in row.requests if request.stage == "select"]


def of(rows: Iterable[Row], section: str) -> list[Row]:
    return [row for row in rows if row.keys["section"] == section]


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_asks_every_question(scale: str) -> None:
    asked = {row.keys["section"] for row in suite(scale).rows()}
    assert asked == {*SECTIONS, "augmentation-choice", "search-truth", "map"}


def test_the_page_asks_the_questions_of_the_sections() -> None:
    asked = [line.split(" | ")[:2] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert asked == [[f"| `{section.name}`", section.question] for section in DCBench.reports]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_can_be_asked_alone(section: str) -> None:
    kinds = {row.keys["section"].partition("-")[0] for row in suite(sections=[section]).rows()}
    assert kinds <= {section.partition("-")[0], "map"}


def test_what_another_suite_asks_is_asked_alike() -> None:
    accuracy = suites.build("accuracy", preset_params(suites.get("accuracy"), "quick", "", 1))
    asked = {request for row in suite("quick").rows() for request in row.requests}
    shared = [row for row in accuracy.rows() if row.keys["ipc"] in (10, None)]
    assert len(shared) == 5
    for row in shared:
        assert set(row.requests) <= asked


def test_the_best_augmentation_is_chosen_by_sets_and_images_that_the_choice_may_see() -> None:
    rows = suite(sections=["augmentation"]).rows()
    for request in chosen(of(rows, "augmentation-choice")):
        assert request.train.on.stage == "distill"
        assert request.train.on.data.part == "fit" and request.train.heldout == "heldout"
    for request in chosen(of(rows, "augmentation")):
        assert request.train.on.stage == "distill"
        assert request.train.on.data.part == "train" and request.train.heldout is None and request.rule == "last"


@pytest.mark.parametrize("selection", ["last", "heldout", "oracle"])
def test_what_is_looked_at_on_held_out_images_says_that_its_last_epoch_counts(selection: str) -> None:
    rows = suite(sections=["augmentation", "search"], selection=selection).rows()
    for section in ("augmentation-choice", "search"):
        assert {row.keys["selection"] for row in of(rows, section)} == {"last"}
        assert {request.rule for request in chosen(of(rows, section))} == {"last"}
    assert {row.keys["selection"] for row in of(rows, "augmentation")} == {selection}


def test_mtt_is_without_whitening_as_in_the_paper() -> None:
    assert "mtt:zca=false" in suite("paper").methods


@pytest.mark.parametrize("dataset", ["mnist", "svhn", "digits", "cifar10", "fashion_mnist"])
def test_no_training_mirrors_digits(dataset: str) -> None:
    mirrored = set()
    for request in chosen(suite("paper", dataset=[dataset], architectures=1).rows()):
        augment = recipes.build(request.train.recipe).augment
        if augment.startswith("dsa"):
            strategy = getattr(augmentations.build(augment), "strategy", "")
            mirrored.add(("flip" in strategy, request.train.on.stage))
    flips = dataset in ("cifar10", "fashion_mnist")
    assert mirrored == {(flips, "data"), (flips, "distill"), (flips, "snapshot")}


@pytest.mark.parametrize(
    ("given", "on_mnist"),
    [
        ("", ""),
        ("dc-bench", "dc-bench"),
        ("dc-bench-dsa:epochs=5", "dc-bench-dsa:epochs=5:augment=dsa(strategy=color_crop_cutout_scale_rotate)"),
        ("dc-bench-dsa:augment=none", "dc-bench-dsa:augment=none"),
        ("dc-bench-dsa:augment=dsa(strategy=flip)", "dc-bench-dsa:augment=dsa(strategy=flip)"),
    ],
)
def test_the_recipe_for_all_images_keeps_what_was_asked_for(given: str, on_mnist: str) -> None:
    assert suite("paper", full_recipe=given).recipe_on_real("mnist") == on_mnist
    assert suite("paper", full_recipe=given).recipe_on_real("cifar10") == given


def test_recipes_with_values_of_their_own_can_be_varied() -> None:
    options: dict[str, Any] = {
        "augmented_recipe": "dc-bench-dsa:lr=0.5:augment=none",
        "sections": ["optimiser", "search"],
    }
    rows = suite(**options, search_recipe="nas-search:shuffle=true", protocol="faithful").rows()
    adam = next(row for row in of(rows, "optimiser") if row.keys["optimiser"] == "adam")
    assert recipes.build(adam.keys["recipe"]).lr == 0.003
    assert not any(recipes.build(row.keys["recipe"]).shuffle for row in of(rows, "search") if row.keys["ipc"])
    with pytest.raises(BadInput, match="must not say where it starts"):
        suite(init_methods=["dm:steps=3:init=noise"], sections=["initialisation"]).rows()


def test_faithful_draws_once_per_batch_and_chooses_nothing() -> None:
    rows = suite(sections=["augmentation"], protocol="faithful", augmentations=["none", "dsa", "rand-augment"]).rows()
    assert {row.keys["augmentation"] for row in rows} == {"none", "dsa", "rand-augment-per-batch"}
    assert {row.keys["section"] for row in rows} == {"augmentation"}
    made = {request.train.on for request in chosen(rows)}
    assert {on.seed for on in made if on.stage == "distill"} == {0}


def test_published_recipes_are_the_defaults() -> None:
    published = suite("paper")
    assert published.recipe_with("none", "cifar10") == "dc-bench"
    assert published.recipe_with("mixup", "cifar10") == "dc-bench-dsa:augment=mixup"
    assert published.compression_ipc[0] == 1 and published.compression_ipc[-1] == 1000
    assert published == DCBench()


def test_curves_always_show_random_and_k_center_below_the_ceiling() -> None:
    rows = suite(sections=["compression"], methods=["dm"]).rows()
    home = [row for row in rows if row.keys["network"] == "home"]
    assert {row.keys["method"] for row in home} == {"full", "random", "k-center", "dm"}
    assert {row.keys["network"] for row in rows} == {"home", "mlp"}
    assert {row.keys["method"] for row in rows if not row.may_be_too_large} == {"full"}
    assert not [row for row in suite(sections=["compression"], full_recipe="").rows() if row.keys["method"] == "full"]


def search(**options: Any) -> list[Row]:
    return suite(sections=["search"], search_spaces=["nas201"], **options).rows()


def test_the_search_looks_at_images_that_no_set_was_made_from() -> None:
    rows = of(search(), "search")
    assert len(rows) == 3 * 3  # random, dm and full on three architectures
    for request in chosen(rows):
        on = request.train.on
        assert (on.data if on.stage == "distill" else on) == real_images("digits", "fit")
        assert request.train.heldout == "heldout" and "shuffle" not in request.train.recipe
    without = of(search(search_full_recipe=""), "search")
    assert {row.keys["method"] for row in without} == {"random", "dm"}


def test_the_faithful_search_keeps_what_the_original_did() -> None:
    for row in of(search(protocol="faithful"), "search"):
        (request,) = chosen([row])
        assert request.train.heldout == "search-heldout" and request.train.network.endswith(
            ":affine=false:mixture=true"
        )
        on = request.train.on
        if row.keys["method"] == "full":
            assert on == real_images("digits", "search-fit")
        else:
            assert on.stage == "distill" and on.data.part == "train"
            assert request.train.recipe.endswith(":shuffle=false")


def test_the_truth_is_published_where_there_is_one_and_trained_elsewhere() -> None:
    (published,) = of(search(dataset=["cifar10"]), "search-truth")
    (request,) = published.requests
    assert request.stage == "truth" and len(request.networks) == 3
    trained = of(search(), "search-truth")
    assert [row.keys["architecture"] for row in trained] == list(request.networks)
    assert {request.train.on for request in chosen(trained)} == {real_images("digits")}
    for request in chosen(of(search(selection="heldout"), "search-truth")):
        assert request.train.on == real_images("digits", "fit") and request.rule == "heldout"
    subset = {request.train.on for request in chosen(of(search(truth_ipc=7), "search-truth"))}
    assert subset == {distilled(real_images("digits"), "random", 7, 0, "home", "smoke")}


def test_starts_are_followed_along_one_distillation_each() -> None:
    rows = suite(sections=["initialisation"], init_methods=["dm:steps=20"], seeds=1).rows()
    steps = sorted({row.keys["step"] for row in rows})
    assert steps[0] == 1 and steps[-1] == 20
    made = {on.of if on.stage == "snapshot" else on for on in (request.train.on for request in chosen(rows))}
    assert len(made) == 3  # noise, real, k-center
    looked_at = {on.step for on in (request.train.on for request in chosen(rows)) if on.stage == "snapshot"}
    assert looked_at == set(steps[:-1])


@pytest.mark.parametrize("method", ["dm", "dm:steps=some", "dm:steps=0"])
def test_starts_need_to_know_the_steps(method: str) -> None:
    with pytest.raises(BadInput, match="how many steps"):
        suite(sections=["initialisation"], init_methods=[method]).rows()


def test_the_smaller_studies() -> None:
    rows = suite().rows()
    assert {row.keys["method"] for row in of(rows, "k-center")} == {"k-center", "k-center:embedding=pixels"}
    adam = [row for row in of(rows, "optimiser") if row.keys["optimiser"] == "adam"]
    assert adam and all("lr=0.003" in row.keys["recipe"] for row in adam)

    def kinds(section: str) -> set[str]:
        return {request.stage for row in of(rows, section) for request in row.requests}

    assert (kinds("cost"), kinds("distribution"), kinds("map")) == ({"cost"}, {"coverage"}, {"map"})


def test_a_section_that_there_is_not_is_refused_with_what_comes_closest() -> None:
    with pytest.raises(BadInput, match="unknown section 'optimizer'; did you mean 'optimiser'"):
        suite(sections=["cost", "optimizer"])


@pytest.mark.parametrize(
    "wrong", [{"seeds": 0}, {"sections": ["speed"]}, {"ipc": []}, {"architectures": 0}, {"search_spaces": ["darts"]}]
)
def test_questions_without_an_answer_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        suite(**wrong)


@pytest.mark.parametrize("protocol", ["fair", "faithful"])
def test_tiny_imagenet_has_the_policy_of_imagenet(protocol: str) -> None:
    names = ["auto-augment", "auto-augment-imagenet"]
    for dataset, policies in (("tiny_imagenet", {"auto-augment-imagenet"}), ("cifar10", set(names))):
        asked = suite(sections=["augmentation"], protocol=protocol, dataset=[dataset], augmentations=names).rows()
        found = {
            row.keys["recipe"].partition("augment=")[2].removesuffix("-per-batch") for row in of(asked, "augmentation")
        }
        assert found == policies
        assert len({row.keys["augmentation"] for row in of(asked, "augmentation")}) == len(policies)


def test_dsa_does_not_mirror_digits_in_any_section() -> None:
    for dataset, augment in (("digits", "dsa(strategy=color_crop_cutout_scale_rotate)"), ("fashion_mnist", "dsa")):
        asked = suite(sections=["transfer", "compression", "k-center", "optimiser"], dataset=[dataset]).rows()
        recipes = {row.keys["recipe"] for row in asked if row.keys["method"] != "full"}
        assert recipes and all(f"augment={augment}" in recipe for recipe in recipes)
