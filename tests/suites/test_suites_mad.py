"""What suite mad asks: its attacks and what each is for, its defences, and which questions are one."""

from __future__ import annotations

from typing import Any

import pytest

from stillproof.core.errors import BadInput, UnknownName
from stillproof.report.answers import Answered
from stillproof.score.difference import difference_of_shares
from stillproof.score.over_images import wilson
from stillproof.suites.fixed_attack import FixedAttack, fixed_attack
from stillproof.suites.mad import known_attacks
from stillproof.suites.mad.arena import META, NONE, Arena, Defender
from stillproof.suites.mad.defence_scores import scored
from stillproof.suites.mad.suite import PRESETS, Mad
from stillproof.suites.mad.variants import changed, named
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

SCALES: dict[str, dict[str, Any]] = {preset.scale: dict(preset.params) for preset in PRESETS}


def asked(scale: str = "smoke", **options: Any) -> Mad:
    return Mad(**{**SCALES[scale], **options})


def arena_of(suite: Mad) -> Arena:
    like = suite.like_of(suite.dataset[0])
    home = suite.network or like.network
    return Arena(suite, RowBuilder.under(suite.asks, suite.dataset[0], home, suite.seeds, "last", suite.scale), like)


def rows_of(suite: Mad, section: str) -> list[Row]:
    return [row for row in suite.rows() if row.keys["section"] == section]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("protocol", ["fair", "faithful"])
def test_every_scale_asks_every_question(scale: str, protocol: str) -> None:
    suite = asked(scale, protocol=protocol)
    found = {row.keys["section"] for row in suite.rows()}
    assert found == {section.name for section in Mad.reports}
    assert {row.keys["protocol"] for row in suite.rows()} == {suite.asks.written}


def test_sections_share_what_they_ask() -> None:
    suite = asked("quick")
    defences, each = ({r for row in rows_of(suite, name) for r in row.requests} for name in ("defences", "each-attack"))
    assert each < defences, "AutoAttack alone is asked besides"
    ablated = {r for row in rows_of(suite, "ablations") for r in row.requests if row.keys.get("variant") == ""}
    assert ablated - {arena_of(suite).model(Defender(META), 0)} <= defences


def test_attacks_have_the_roles_of_the_set() -> None:
    found = arena_of(asked("quick"))
    roles = {one.called: one.role for one in found.attacks}
    assert len(roles) == 12 and [name for name, role in roles.items() if role == "validation"] == ["mad/25"]
    assert {name for name, role in roles.items() if role == "test"} == {"mad/7", "mad/27", "mad/29"}
    model = found.model(Defender(META), 0)
    assert [one.attack for one in model.sets] == [one.reference for one in found.of_role("train")]
    assert [one.attack for one in model.validation] == ["mad/25"]


def test_an_attack_of_a_library_that_is_not_there_is_left_out_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_attacks, "find_spec", lambda name: None)
    suite = asked("quick")
    found = arena_of(suite)
    assert "mad/7" not in [one.called for one in found.there()]
    (row,) = [row for row in rows_of(suite, "attacks") if row.keys["attack"] == "mad/7"]
    assert row.requests == () and row.reason.startswith("mad/7 is made by art, which is not installed")


def test_all_seeds_have_one_victim_and_defences_of_their_own() -> None:
    found = arena_of(asked("quick", seeds=2))
    assert found.model(Defender(NONE), 0) == found.model(Defender(NONE), 1) == found.victim()
    assert found.model(Defender("r-fast"), 0) != found.model(Defender("r-fast"), 1)
    first, second = (found.adapt(Defender(NONE), found.attacks[0], seed) for seed in (0, 1))
    assert first.model == second.model and first.seed != second.seed


def test_baselines_are_those_of_the_data_set() -> None:
    photographs = arena_of(Mad()).model(Defender("r-yopo"), 0)
    digits = arena_of(Mad(dataset=("mnist",))).model(Defender("r-yopo"), 0)
    assert photographs.defence == "r-yopo" and digits.defence.startswith("r-yopo:inner=10")
    assert photographs.recipe == digits.recipe == "r-yopo"


def test_yopo_and_atta_get_no_shots_as_in_the_paper() -> None:
    found = arena_of(asked("quick"))
    steps = {name: found.adapt(Defender(name), found.attacks[0], 0).steps for name in ("r-at", "r-yopo", "r-atta")}
    assert steps == {"r-at": 10, "r-yopo": 0, "r-atta": 0}


def test_networks_of_distilled_sets_meet_images_of_their_own_in_paper() -> None:
    one = Defender(META, method="random", ipc=1, start=NONE)
    for own in (False, True):
        found = arena_of(asked("smoke", own_sets=own))
        model = found.model(Defender(NONE, method="random", ipc=1), 0)
        adapt = found.adapt(one, found.attacks[0], 0)
        assert (adapt.attacked.model == model) == own and (adapt.model.sets[0].model == model) == own
        assert found.adapt(Defender(META), found.attacks[0], 0).attacked.model == found.victim()
    assert Mad().own_sets and not asked("quick").own_sets


def test_variants_change_what_they_say() -> None:
    found = arena_of(asked("quick"))
    recipe = found.meta_recipe("ways=2,lr=0.01")
    assert recipe == "meta-at:epochs=1:lr=0.01:objective=meta-at(shots=10,queries=4,val_queries=4,ways=2)"
    changes = asked(variants=("tricks=none", "tricks=mixup", "inner_lr=0.1,lr=0.01")).changes
    assert changes["tricks=none"] == ("tricks", "eta=0,clip=0,warmup=0,smoothing=0,mixup=0")
    assert changes["tricks=mixup"] == ("tricks", "eta=0,clip=0,warmup=0,smoothing=0")
    assert changes["inner_lr=0.1,lr=0.01"] == ("step sizes", "inner_lr=0.1,lr=0.01")


def test_tricks_are_told_in_short() -> None:
    for text in ("tricks=none", "tricks=mixup"):
        assert named(changed(text)[1]) == text
    assert named("ways=2") == "ways=2" and named("") == ""


def test_autoattack_is_asked_of_tricks_as_in_table_5() -> None:
    rows = rows_of(asked("quick"), "ablations")
    assert [row.keys["variant"][:5] for row in rows if row.keys.get("measure") == "aa"] == ["", "eta=0"]


def test_more_ways_than_attacks_are_left_out_with_a_sentence() -> None:
    rows = rows_of(asked("quick", ways=(5, 9)), "ablations")
    assert {row.keys["variant"] for row in rows if row.keys.get("part") == "ways" and row.requests} == {"ways=5"}
    (left_out,) = [row for row in rows if row.reason]
    assert left_out.reason == "ways = 9 is left out: there are 8 attacks to learn from."
    assert left_out.requests == () and left_out.keys["variant"] == "ways=9"


def test_the_original_is_shown_its_own_digits_and_learns_from_what_judges_it() -> None:
    suite = Mad(dataset=("mnist",), protocol="faithful")
    assert {row.keys["dataset"] for row in suite.rows()} == {"resized:of=mnist:size=32:channels=3"}
    adapting = [r for row in rows_of(suite, "defences") for r in row.requests if r.stage == "adapt"]
    assert all(r.protocol == "faithful:mad" and (len(r.known) >= 4) == (r.steps > 0) for r in adapting)


def test_sets_that_are_there_take_the_place_of_those_that_would_be_made() -> None:
    there = [
        FixedAttack(f"mad/{number}", f"{number:064d}", "digits", "test").reference() for number in (13, 18, 16, 27)
    ]
    suite = asked(attacked_sets=there)
    asks = [r for row in rows_of(suite, "defences") for r in row.requests if r.stage == "adapt"]
    assert {r.attacked.artifact for r in asks} == {fixed_attack(one).artifact for one in there}
    assert all("were there before" in row.reason for row in rows_of(suite, "attacks"))
    with pytest.raises(BadInput, match=r"of mad/13 is of test images of mnist, not of test images of digits"):
        asked(attacked_sets=[FixedAttack("mad/13", "0" * 64, "mnist", "test").reference()]).rows()
    with pytest.raises(BadInput, match="'mine' is not known here"):
        asked(attacked_sets=["mine"]).rows()


def test_the_line_without_a_defence_says_what_the_victim_of_sets_that_are_there_is() -> None:
    victim = {"model": "f" * 64, "network": "mlp:width=16"}
    there = [
        FixedAttack(f"mad/{number}", f"{number:064d}", "digits", "test", **victim).reference()
        for number in (13, 18, 16, 27)
    ]
    rows = rows_of(asked(attacked_sets=there, start="none"), "defences")
    told = {(row.keys["defence"], row.keys["network"], row.keys["recipe"]) for row in rows}
    home = arena_of(asked()).builder.home
    assert (NONE, "mlp:width=16", "") in told and ("r-fast", home, "smoke") in told
    assert {network for defence, network, _ in told if defence == META} == {"mlp:width=16"}, (
        "it goes on from the victim"
    )
    assert {row.keys["victim"] for row in rows} == {f"model {'f' * 12} (mlp:width=16)"}
    onwards = rows_of(asked(attacked_sets=there, start="r-fast"), "defences")
    assert {row.keys["network"] for row in onwards if row.keys["defence"] == META} == {home}


@pytest.mark.parametrize(
    ("name", "value"), [("attacks", ("fgsm",)), ("per_class", 5), ("split", (1, 1, 1))], ids=lambda one: str(one)
)
def test_what_says_nothing_beside_sets_that_are_there_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} means nothing beside attacked_sets, which are made already"):
        asked(attacked_sets=("mine",), **{name: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"shots": 0}, "shots must be at least 1"),
        ({"steps": -1}, "steps must be at least 0"),
        ({"sections": ()}, "sections needs at least one value"),
        ({"variants": ("mixup",)}, "'mixup' is not of the form"),
        ({"variants": ("tricks=luck",)}, "tricks=luck is none of none, sar"),
        ({"start": "meta-at"}, "start = meta-at is not allowed"),
        ({"meta_recipe": "meta-at:objective=meta-at(ways=1)"}, "meta_recipe must not name an objective"),
    ],
)
def test_empty_and_circular_questions_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, BadInput), match=message):
        asked(**options).rows()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="section"):
        asked(sections=("attack",))
    with pytest.raises(UnknownName, match="mad-x"):
        asked(like="mad-x")


def answered(defence: str, ra: list[float], after: list[float], **keys: Any) -> Answered:
    about = {"defence": defence, "attack": "mad/13", "role": "train", "measure": "adapt", "is_victim": defence == NONE}
    episodes = {"ra": ra, "ra_after": after, "sa": 0.9, "sa_after": [0.8] * len(after), "n": 20, "n_clean": 100}
    return Answered({**about, "made_on": "", "dataset": "digits", **keys}, [episodes])


def test_networks_without_shots_stand_beside_an_oracle() -> None:
    """The best episode of an oracle counts alone; without shots there is none that is best."""
    victim, yopo = answered(NONE, [0.1], [0.5]), answered("r-yopo", [0.3, 0.5, 0.4], [0.3, 0.5, 0.4])
    _, one = scored([victim, yopo])
    found = one.edsr(["mad/13"])
    assert found is not None and found.mean == pytest.approx((0.4 - 0.1) / (0.9 - 0.1 + 0.9 - 0.8))
    assert found.ci95 is not None and found.over == "episodes"


def test_episodes_that_agree_have_the_width_of_the_images() -> None:
    """Two episodes on the same twenty images tell nothing of others."""
    _, one = scored([answered(NONE, [0.1] * 2, [0.5] * 2), answered("r-at", [0.3] * 2, [0.5] * 2)])
    found = [one.edsr(["mad/13"]), one.gain(["mad/13"]), one.attacked(["mad/13"], after=True)]
    assert all(value is not None and value.rule == "images" and value.over == "episodes" for value in found)
    assert found[2] is not None and found[2].ci95 == pytest.approx(wilson(10, 20))


def test_episodes_that_draw_from_more_images_than_one_asks_about_know_all_of_these() -> None:
    rows = [answered(NONE, [0.1] * 2, [0.5] * 2), answered("r-at", [0.3] * 2, [0.5] * 2)]
    for row in rows:
        for result in row.results:
            assert result is not None
            result["n_judged"] = 40
    found = scored(rows)[1].attacked(["mad/13"], after=True)
    assert found is not None and found.ci95 == pytest.approx(wilson(20, 40))


def over_seeds(defence: str, before: list[float], after: list[float], **keys: Any) -> Answered:
    seeds = [answered(defence, [ra], [its]) for ra, its in zip(before, after, strict=True)]
    return Answered({**seeds[0].keys, **keys}, [result for one in seeds for result in one.results])


def test_scores_of_seeds_that_agree_have_the_width_of_the_images() -> None:
    _, one = scored([over_seeds(NONE, [0.1] * 3, [0.5] * 3), over_seeds("r-at", [0.3] * 3, [0.5] * 3)])
    found = [one.edsr(["mad/13"]), one.gain(["mad/13"]), one.attacked(["mad/13"], after=True), *one.curve([])]
    assert all(value is not None and value.rule == "images" for value in found)
    gain = one.gain(["mad/13"])
    assert gain is not None and gain.ci95 == pytest.approx(difference_of_shares([0.5] * 2, [0.3] * 2, 20).ci95)


def test_a_network_that_gets_no_shots_gains_nothing_by_definition() -> None:
    _, one = scored([over_seeds(NONE, [0.1] * 3, [0.5] * 3), still("r-yopo", [0.3, 0.4, 0.5])])
    gain, itself, score = one.gain(["mad/13"]), one.edsr(["mad/13"], "before", alpha=0.0), one.edsr(["mad/13"])
    assert gain is not None and gain.ci95 == (0.0, 0.0)
    assert itself is not None and itself.ci95 == (0.0, 0.0)
    assert score is not None and score.ci95 is not None and score.ci95[0] < score.mean < score.ci95[1]


def still(defence: str, right: list[float]) -> Answered:
    row = over_seeds(defence, right, right)
    return Answered(row.keys, [{**result, "sa_after": [result["sa"]]} for result in row.results if result])


def test_where_a_score_is_not_defined_within_the_images_intervals_seeds_alone_count() -> None:
    _, one = scored([over_seeds(NONE, [0.88] * 3, [0.9] * 3), over_seeds("r-at", [0.88] * 3, [0.85, 0.85, 0.9])])
    found = one.edsr(["mad/13"])
    assert found is not None and found.rule == "student"
