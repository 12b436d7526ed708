"""Networks that learn to withstand attacks from a few examples, as cells of a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from attacked import training
from torch import Tensor

from stillproof import BadInput, Request, Session
from stillproof.core.errors import CellFailed
from stillproof.data.load import load
from stillproof.run.attacked_set_check import LEARNED
from stillproof.run.learned_attacks import of_role, others_than, sources_of
from stillproof.suites.requests import real_images

TEST = load("digits", "test", Path())
KNOWN = ("fgsm:eps=0.15", "pgd:eps=0.1:steps=3")
OTHER, UNKNOWN = "bim:eps=0.1:steps=3", "mifgsm:eps=0.15:steps=3"
SMALL = "meta-at:epochs=2:objective=meta-at(ways=2,shots=2,queries=1,episodes=3,val_queries=1)"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("adapt") / "s.db")) as opened:
        yield opened


def attacked(attack: str, **params: object) -> Request:
    return Request(
        "attacked-set", **{"model": training(), "dataset": "digits", "attack": attack, "per_class": 6, **params}
    )


def taught(**params: object) -> Request:
    asked = {"start": training(), "sets": tuple(map(attacked, KNOWN)), "validation": (attacked(OTHER),)}
    return Request("meta-train", **{**asked, "dataset": "digits", "recipe": SMALL, **params})


def adapting(model: Request, attack: str = UNKNOWN, **params: object) -> Request:
    small = {"recipe": SMALL, "queries": 2, "episodes": 3, "steps": 4}
    return Request("adapt", model=model, attacked=attacked(attack), dataset="digits", **{**small, **params})


def weights(session: Session, artifact: str) -> dict[str, Tensor]:
    return session.store.artifacts.read(artifact).tensors


def test_a_taught_network_is_a_model_like_any_other(session: Session) -> None:
    answer = session.answer(taught())
    before, after = weights(session, answer["start"]), weights(session, answer["model"])
    assert before.keys() == after.keys() and any(not torch.equal(before[key], after[key]) for key in before)
    assert [line["episodes"] for line in answer["notes"]["epochs"]] == [3, 3]
    attack = session.answer(Request("attack", model=taught(), dataset="digits", attack="fgsm", limit=20))
    assert attack["model"] == answer["model"]
    adapted = session.answer(Request("attack", model=adapting(taught()), dataset="digits", attack="fgsm", limit=20))
    assert adapted["model"] == session.answer(adapting(taught()))["model"] != answer["model"]


def test_what_comes_of_episodes_is_told(session: Session) -> None:
    answer = session.answer(adapting(training()))
    assert answer["episodes"] == 3 and answer["n"] == 20 and len(answer["curve"]) == 5
    assert len(answer["ra"]) == len(answer["ra_after"]) == len(answer["sa_after"]) == 3
    assert answer["curve"][0] == pytest.approx(sum(answer["ra"]) / 3)
    assert answer["curve"][-1] == pytest.approx(sum(answer["ra_after"]) / 3)
    still = session.answer(adapting(training(), steps=0))
    assert still["ra"] == still["ra_after"] == answer["ra"], "episodes draw the same, whatever the number of steps"
    assert still["sa_after"] == [still["sa"]] * 3


def test_all_models_meet_the_same_images(session: Session) -> None:
    one, other = (session.answer(adapting(model)) for model in (training(), training(2)))
    assert one["ra"] != other["ra"] and one["n_clean"] == other["n_clean"]
    gentle = session.answer(adapting(training(), recipe=f"{SMALL[:-1]},inner_lr=0.001)"))
    assert gentle["ra"] == one["ra"] and gentle["ra_after"] != one["ra_after"], "only steps differ"


def test_clean_images_are_of_sources_that_nobody_learned_from(session: Session) -> None:
    answer = session.answer(adapting(training()))
    stored = session.store.artifacts.read(session.answer(attacked(UNKNOWN))["artifact"])
    learned = stored.tensors["sources"][stored.tensors["roles"] != 2].tolist()
    assert len(learned) == 40 and answer["n_clean"] == len(TEST) - 40
    assert sources_of([stored], "train", "validation") == set(learned)
    assert not set(learned) & set(others_than(set(learned), len(TEST)).tolist())
    support, query = of_role(stored, "train"), of_role(stored, "test")
    assert not set(support.sources.tolist()) & set(query.sources.tolist())


def test_as_printed_all_clean_images_count_and_episodes_go_on(session: Session) -> None:
    known = tuple(attacked(one, protocol="faithful:mad") for one in KNOWN)
    request = adapting(training(), protocol="faithful:mad", known=known, episodes=5)
    answer = session.answer(request.but(attacked=attacked(UNKNOWN, protocol="faithful:mad")))
    assert answer["n_clean"] == len(TEST) and len(answer["curve"]) - 1 == answer["episodes"] == 5
    assert answer["ra_after"] == [max(answer["curve"][1:])] and len(answer["ra"]) == 1


def test_images_that_turned_the_model_alone(session: Session) -> None:
    stored = session.store.artifacts.read(session.answer(attacked(KNOWN[0]))["artifact"])
    everything, turned = (of_role(stored, "train", kept) for kept in ("all", "turned"))
    said = stored.tensors["rounded_predictions"][stored.tensors["roles"] == 0]
    clean = stored.tensors["clean_predictions"][stored.tensors["roles"] == 0]
    wanted = (clean == everything.labels) & (said != everything.labels)
    assert 0 < len(turned) == int(wanted.sum()) < len(everything)


def test_a_network_knows_what_it_has_learned_from(session: Session) -> None:
    stored = session.store.artifacts.read(session.answer(attacked(UNKNOWN))["artifact"])
    seen = sorted(sources_of([stored], "train", "validation"))
    for request in (taught(), adapting(training()), adapting(taught())):
        card = session.store.artifacts.read(session.answer(request)["model"]).card
        assert card[LEARNED] == {"of": TEST.id, "places": seen}


def test_test_images_that_a_network_has_learned_from_are_told(session: Session) -> None:
    """Not those of a network that has learned from none, and not those of a distilled set."""
    places = session.store.artifacts.read(session.answer(taught())["model"]).card[LEARNED]["places"]
    first = len([place for place in places if place < 100])
    for model in (taught(), adapting(training())):
        answer = session.answer(Request("attack", model=model, dataset="digits", attack="none", limit=100))
        said = (
            f"these are no test images to this model: it has learned from {first} of the 100 images that it is judged"
        )
        assert 0 < first < 100 and answer["notes"]["warnings"][LEARNED].startswith(said)
        judged = session.answer(Request("judge", model=model, on=real_images("digits", "test")))
        assert f"from {len(places)} of the {len(TEST)} images" in judged["notes"]["warnings"][LEARNED]
        shown = session.answer(Request("judge", model=model, on=attacked(UNKNOWN)))
        assert f"from {len(places)} of the 60 images" in shown["notes"]["warnings"][LEARNED]
    assert "notes" not in session.answer(Request("judge", model=training(), on=real_images("digits", "test")))
    score = session.attack(session.answer(taught())["model"], "digits", "none", limit=100)
    assert score.as_dict()["warnings"] == [answer["notes"]["warnings"][LEARNED]]
    assert any("no test images to this model" in note for note in score.table().notes)


def distilled(attack: str, **params: object) -> Request:
    return Request("distil-attacked", attacked=attacked(attack, **params), method="random", ipc=2, scale="smoke")


LEAKS: dict[str, Request] = {
    "another choice of sources": adapting(taught(), seed=3).but(attacked=attacked(UNKNOWN, seed=1)),
    "shots of the images that judge": adapting(training())
    .but(attacked=attacked(UNKNOWN, seed=1))
    .but(model=adapting(training())),
    "a network that has stepped on the images that judge": adapting(
        adapting(training(), protocol="faithful:mad", known=tuple(map(attacked, KNOWN)))
    ),
    "supports of another choice": adapting(taught(supports=tuple(distilled(one, seed=1) for one in KNOWN))),
    "roles drawn for each attack": adapting(
        taught(sets=tuple(attacked(one, protocol="faithful:mad") for one in KNOWN), validation=())
    ).but(attacked=attacked(UNKNOWN, protocol="faithful:mad")),
}


@pytest.mark.parametrize("way", LEAKS)
def test_nothing_is_reported_on_images_that_were_learned_from(session: Session, way: str) -> None:
    with pytest.raises(CellFailed, match=r"of the 20 sources that .* is judged by were learned from"):
        session.answer(LEAKS[way])


def test_sets_of_other_images_of_that_name_are_refused(session: Session) -> None:
    """Classes and sizes may fit: folders of pictures are called by their last part alone."""
    stored = session.store.artifacts.read(session.answer(attacked(UNKNOWN))["artifact"])
    card = stored.card | {"test": "digits/test@sha256:others"}
    foreign = session.store.keep("attacked-set", dict(stored.tensors), card)
    request = adapting(training()).but(attacked=Request("artifact", artifact=foreign, dataset="digits", name="theirs"))
    with pytest.raises(CellFailed, match="was made of other images that are called digits"):
        session.answer(request)


FORGED: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "no protocol": ({}, {"protocol": None}, "'protocol' of its card is missing"),
    "a split in words": ({}, {"split": "half"}, "'split' of its card"),
    "no list of what was learned from": ({}, {LEARNED: {"of": "digits", "places": "all"}}, f"'{LEARNED}' of its card"),
    "too many images per class": ({}, {"per_class": 9}, "says 9 images per class, and one class has 6"),
    "no roles": ({"roles": None}, {}, "it has no roles"),
    "a role that there is not": ({"roles": lambda one: one + 5}, {}, "its roles go from 5 to 7"),
    "roles that are no numbers of a list": ({"roles": lambda one: one + 0.5}, {}, "its roles are no whole numbers"),
    "too few labels": ({"labels": lambda one: one[:-3]}, {}, r"60 images and values of shape \(57,\) as labels"),
    "negative sources": ({"sources": lambda one: one - 500}, {}, "negative sources or labels"),
    "sources beyond the split": ({"sources": lambda one: one + 9999}, {}, "has sources beyond the 359 images"),
    "labels of others": ({"labels": lambda one: (one + 1) % 10}, {}, "images of another class than their sources"),
    "images that are no bytes": ({"images": lambda one: one / 255}, {}, "its images are float32"),
    "none to be judged by": ({"roles": lambda one: one.clamp(max=1)}, {}, "has no images for test"),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_set_is_refused_in_one_sentence(session: Session, forgery: str) -> None:
    values, card, message = FORGED[forgery]
    stored = session.store.artifacts.read(session.answer(attacked(UNKNOWN))["artifact"])
    changed: dict[str, Any] = {**stored.tensors, **{n: f and f(stored.tensors[n]) for n, f in values.items()}}  # type: ignore[operator]
    tensors = {name: one.contiguous() for name, one in changed.items() if one is not None}
    forged = session.store.keep("attacked-set", tensors, stored.card | card)
    asked = Request("artifact", artifact=forged, dataset="digits", name="theirs")
    with pytest.raises(CellFailed, match=message) as failed:
        session.answer(adapting(training(), queries=1).but(attacked=asked))
    assert "Error(" not in str(failed.value)
    if "beyond" not in forgery and "judged" not in forgery and "others" not in forgery:
        session.store.pools.add(f"forged-{len(message)}", [forged])
        with pytest.raises(BadInput, match=message):
            session.found_attack_set(f"forged-{len(message)}")


def test_strong_attacks_leave_out_all_that_a_network_has_learned_from(session: Session) -> None:
    of = Request("attack", model=taught(), dataset="digits", attack="fgsm", limit=300)
    answer = session.answer(Request("attack-others", of=of, attacked=attacked(UNKNOWN, seed=1)))
    places = session.store.artifacts.read(answer["outcomes"]).tensors["places"].tolist()
    sets = [session.answer(attacked(UNKNOWN, seed=seed))["artifact"] for seed in (0, 1)]
    seen = sources_of(map(session.store.artifacts.read, sets), "train", "validation")
    assert not seen & set(places) and len(places) == min(300, len(TEST) - len(seen)) == answer["n"]


def test_a_gain_under_the_original_needs_a_step(session: Session) -> None:
    """The best of many draws would look like one, were it compared with the first draw."""
    known = tuple(attacked(one, protocol="faithful:mad") for one in KNOWN)
    still = SMALL.replace("epochs=2", "epochs=2:lr=1e-12")
    request = adapting(training(), protocol="faithful:mad", known=known, episodes=12, recipe=still, queries=1)
    answer = session.answer(request.but(attacked=attacked(UNKNOWN, protocol="faithful:mad")))
    assert answer["ra"] == answer["ra_after"] and answer["sa_after"] == [answer["sa"]]


BAD: list[tuple[Request, str]] = [
    (taught(recipe="meta-at"), "ways = 5 is not allowed: there are 2 attacks"),
    (
        taught(recipe="meta-at:objective=meta-at(ways=2)"),
        r"asks for 15 \+ 6 images of every class, and the sets have 3 to learn from",
    ),
    *(
        (taught(recipe=SMALL.replace(":objective", f":{idle}:objective")), f"{idle.replace('=', ' = ')} means nothing")
        for idle in ("batch=64", "parts=2", "shuffle=False", "augment=dsa", "reset_momentum=True", "curve_points=2")
    ),
    (adapting(training(), recipe=SMALL.replace(":objective", ":batch=64:objective")), "batch = 64 means nothing"),
    (taught(recipe=SMALL.replace(":objective", ":schedule=cyclic:objective")), "schedule = cyclic is not allowed"),
    (taught(recipe="smoke"), "does not learn in episodes: choose meta-at"),
    (taught(sets=(attacked(KNOWN[0]), attacked(KNOWN[1], seed=1))), "name those of one build"),
    (taught(sets=(attacked(KNOWN[0]), attacked(KNOWN[1], per_class=9))), "name those of one build"),
    (taught(sets=(attacked(KNOWN[0]), attacked(KNOWN[1], model=training(2)))), "name those of one build"),
    (taught(sets=(training(), attacked(KNOWN[1]))), "no set of images"),
    (taught(part="train"), "has sources of another split than train"),
    (adapting(training(), shots=4), "shots = 4 is not allowed: the set has 3 images per class"),
    (adapting(training(), steps=-1), "steps = -1 is not allowed"),
    (adapting(training(), episodes=0), "episodes = 0 is not allowed"),
    (adapting(training(), clean_limit=0), "clean_limit = 0 is not allowed"),
    (adapting(training(), part="train").but(attacked=attacked(UNKNOWN, part="train")), "part = train is not allowed"),
    (
        taught(supports=tuple(distilled(one) for one in reversed(KNOWN))),
        "supports of .* stand in the place of fgsm:eps=0.15's",
    ),
    (taught(supports=(distilled(KNOWN[0]),)), "1 supports for 2 attacks are not allowed"),
    (adapting(training(), protocol="faithful:mad"), "beside the unknown attack there are 0 known ones"),
]


@pytest.mark.parametrize(("request_", "message"), BAD)
def test_bad_questions_are_one_sentence(session: Session, request_: Request, message: str) -> None:
    with pytest.raises((BadInput, CellFailed), match=message):
        session.answer(request_)


def test_what_was_made_here_can_be_merged_elsewhere(session: Session, tmp_path: Path) -> None:
    assert {"adapt", "attack-others", "distil-attacked"} <= session.store.results.counts().keys()
    with Session(str(tmp_path / "elsewhere.db")) as elsewhere:
        found = elsewhere.merge(session.store.shown)
        assert found.found.refused == {} and not found.found.without
        assert set(found.uncounted) == {"outcomes of meta-train"}
