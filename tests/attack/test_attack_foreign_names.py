from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from lookalike import lookalike

from stillproof.attack.base.attack import attack_of
from stillproof.attack.foreign import named_by_class
from stillproof.attack.foreign.options import NEEDED, option_text, option_value, read_options, written_options
from stillproof.core.components import attacks
from stillproof.core.errors import BadInput, UnknownName
from stillproof.run.attack_names import attack_called, shown, with_limits


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with lookalike(monkeypatch):
        yield


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("torchattacks/Step", "torchattacks/Step"),
        ("torchattacks/Step:eps=8/255", "torchattacks/Step"),
        ("torchattacks/Step:steps=5:eps=4/255", f"torchattacks/Step:eps={4 / 255}:steps=5"),
        ("torchattacks/Step:steps=1e1:name=2", "torchattacks/Step:name='2':steps=10"),
        ("torchattacks/Step(eps=1,steps=3)", "torchattacks/Step:eps=1.0:steps=3"),
        ("torchattacks/Noise:seed=0", "torchattacks/Noise:seed=0"),
    ],
)
def test_an_attack_has_one_name_however_it_is_written(name: str, written: str) -> None:
    built = attack_called(name)
    assert attacks.reference(built) == written and attack_of(written) == built
    identity = attacks.identity(built)
    assert attacks.rebuild(identity) == built and identity["name"] == "torchattacks"
    assert identity["params"]["release"] == "3.5.1"


def test_parameters_may_be_values() -> None:
    assert attack_of("torchattacks/Step", {"eps": 4 / 255, "steps": 2}) == attack_called(
        "torchattacks/Step:eps=4/255:steps=2"
    )


def test_the_radius_and_the_norm_are_known() -> None:
    built = attack_called("torchattacks/Step:eps=4/255")
    assert built.radius == 4 / 255 and built.measured_in == "Linf"
    assert shown(attacks.reference(built)) == "torchattacks/Step:eps=4/255"
    assert with_limits("torchattacks/Step:steps=2", eps=0.5) == "torchattacks/Step:steps=2:eps=0.5"
    with pytest.raises(BadInput, match="no eps"):
        with_limits("torchattacks/Noise", eps=0.5)
    with pytest.raises(BadInput, match="eps = 2 is not allowed"):
        attack_called("torchattacks/Step:eps=2").check(torch.zeros(1, 1, 4, 4), targeted=False)


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("torchattacks", BadInput, "attack 'torchattacks' is a library: name one of its classes, as in torchattacks/P"),
        ("torchattacks/Stap", UnknownName, "unknown attack 'Stap' of torchattacks; did you mean 'Step'?"),
        ("torchattack/Step", UnknownName, "unknown attack 'torchattack/Step'"),
        ("pgd/Step", UnknownName, "unknown attack 'pgd/Step'"),
        ("torchattacks/Step:step=2", UnknownName, "unknown option 'step' of attack 'torchattacks/Step'; did you mean"),
        ("torchattacks/Step:model=2", UnknownName, "choose one of eps, name, steps"),
        ("torchattacks/Noise:verbose=true", BadInput, "leave verbose out, nothing of the library's own is shown"),
        ("torchattacks/Step:steps=0", BadInput, "attack 'torchattacks/Step': ValueError: steps must be positive."),
        ("torchattacks/Shapeless", BadInput, "needs a value for loader, which has no default"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(name: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as told:
        attack_called(name)
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("art/HopSkipJump", "pip install 'stillproof[art]'"),
        ("torchattacks/PGD", "pip install --no-deps torchattacks==3.5.1"),
        ("foolbox/LinfPGD", "pip install foolbox==3.3.4"),
    ],
)
def test_a_library_that_is_not_there_is_one_command_away(
    name: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_by_class, "version_of", lambda family: None)
    with pytest.raises(BadInput, match="which is not installed: ") as told:
        attack_called(name)
    assert str(told.value).endswith(command) and name in str(told.value)


def test_another_version_than_it_was_planned_with_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    built = attack_called("torchattacks/Step")
    monkeypatch.setattr(named_by_class, "version_of", lambda family: "3.6.0")
    with pytest.raises(BadInput, match=r"was planned with version 3\.5\.1 of its library, and 3\.6\.0 is installed"):
        built.check(torch.zeros(1, 1, 4, 4), targeted=False)
    assert attack_called("torchattacks/Step") != built, "it is another question there"


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.from_regex(r"[a-z_][\w.+-]*", fullmatch=True)
)
VALUES = PLAIN | st.text("ab0 1.-/'\"=:,_e", max_size=8) | st.lists(PLAIN | st.tuples(PLAIN), min_size=1).map(tuple)


@given(VALUES)
def test_a_value_is_read_back_as_it_was(value: Any) -> None:
    found = option_value(option_text(value))
    assert found == value and type(found) is type(value)
    texts = read_options(written_options({"b": value, "a": 1}))
    assert list(texts) == ["a", "b"] and option_value(texts["b"]) == value


@pytest.mark.parametrize(
    ("text", "usual", "value"),
    [
        ("8/255", NEEDED, 8 / 255),
        ("1", 0.5, 1.0),
        ("1e3", 5, 1000),
        ("0.5", 5, 0.5),
        ("TRUE", False, True),
        ("1", True, True),
        ("none", 3, None),
        ("none", "diag", "none"),
        ("2", "inf", "2"),
        ("2", math.inf, 2),
        ("inf", math.inf, math.inf),
        ("1,2", (0.5, 0.5), (1.0, 2.0)),
        ("3", (1, 1), (3,)),
        ("{'eps': 0.1}", None, {"eps": 0.1}),
        ("[1, 2]", None, [1, 2]),
        ("dct", "px", "dct"),
    ],
)
def test_a_value_becomes_of_the_kind_of_the_default(text: str, usual: Any, value: Any) -> None:
    found = option_value(text, usual)
    assert found == value and type(found) is type(value)
