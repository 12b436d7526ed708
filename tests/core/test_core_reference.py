from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.cli.options import split_list
from stillproof.core.errors import BadInput
from stillproof.core.reference import (
    changed_reference,
    parse_list,
    parse_reference,
    split_outside,
    write_nested,
    write_reference,
)

names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
# Any text whose brackets are balanced, with all that references are split at.
texts = st.recursive(
    st.text("ab1.-|~:,= ", max_size=6),
    lambda inner: st.lists(inner | inner.map(lambda text: f"({text})"), max_size=3).map("".join),
    max_leaves=6,
)
params = st.dictionaries(names, texts, max_size=3)
references = st.recursive(
    st.tuples(names, params),
    lambda inner: st.tuples(names, st.dictionaries(names, inner.map(lambda found: write_nested(*found)), max_size=3)),
    max_leaves=4,
)


@given(references)
def test_a_reference_comes_back_as_it_was_written(reference: tuple[str, dict[str, str]]) -> None:
    assert parse_reference(write_reference(*reference)) == reference
    assert parse_reference(write_nested(*reference)) == reference


@given(references, names, names)
def test_a_reference_inside_others_comes_back_too(inner: tuple[str, dict[str, str]], name: str, key: str) -> None:
    for write in (write_reference, write_nested):
        _, middle = parse_reference(write(name, {key: write_nested(name, {key: write_nested(*inner)})}))
        assert parse_reference(parse_reference(middle[key])[1][key]) == inner


@given(names, st.lists(texts.filter(bool), max_size=4))
def test_a_list_comes_back_as_it_was_written(key: str, values: list[str]) -> None:
    for write in (write_reference, write_nested):
        assert parse_list(parse_reference(write("x", {key: tuple(values)}))[1][key]) == values


@given(st.lists(references, min_size=1, max_size=4))
def test_a_list_of_references_is_split_between_them_alone(found: list[tuple[str, dict[str, str]]]) -> None:
    written = [write_nested(*reference) for reference in found]
    assert split_list(", ".join(written)) == written


def test_nested_references_are_taken_apart_one_level_at_a_time() -> None:
    assert parse_reference("dc-bench-dsa:augment=dsa(strategy=color_crop)") == (
        "dc-bench-dsa",
        {"augment": "dsa(strategy=color_crop)"},
    )
    name, found = parse_reference("x:objective=pgd-at(eps=0.03, base=kl(temperature=20)):lr=1")
    assert (name, found) == ("x", {"objective": "pgd-at(eps=0.03, base=kl(temperature=20))", "lr": "1"})
    assert parse_reference(found["objective"]) == ("pgd-at", {"eps": "0.03", "base": "kl(temperature=20)"})
    assert parse_reference("kl()") == parse_reference("kl") == ("kl", {})
    assert parse_reference("kl(temperature=20):scale=3") == ("kl", {"temperature": "20", "scale": "3"})


@pytest.mark.parametrize("reference", ["dm:lr=1:lr=2", "kl(t=20):t=3", "kl(t=20, t=20)", "x:a=1: a=1"])
def test_a_parameter_that_is_given_twice_is_refused(reference: str) -> None:
    with pytest.raises(BadInput, match=r"sets (lr|t|a) twice: leave one of them out\."):
        parse_reference(reference)


@given(references, params)
def test_a_changed_reference_has_the_new_values_and_keeps_the_others(
    reference: tuple[str, dict[str, str]], changes: dict[str, str]
) -> None:
    name, before = reference
    for written in (write_reference(*reference), write_nested(*reference)):
        assert parse_reference(changed_reference(written, **changes)) == (name, before | changes)


@pytest.mark.parametrize(
    "reference", ["gadget:steps", "gadget:=3", "gadget:", "gadget(steps)", "gadget(=3)", "g(a=1,)"]
)
def test_a_malformed_reference_is_refused(reference: str) -> None:
    with pytest.raises(BadInput, match="key=value"):
        parse_reference(reference)


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("x:augment=dsa(strategy=crop", r"'x:augment=dsa\(strategy=crop' lacks a closing bracket\."),
        ("kl(temperature=20", "lacks a closing bracket"),
        ("x:objective=kl)", r"'x:objective=kl\)' has a closing bracket too many\."),
        ("kl(temperature=2)0", r"'kl\(temperature=2\)0' continues after its closing bracket\."),
        ("kl(a=1)(b=2)", "has a closing bracket too many"),
    ],
)
def test_brackets_that_do_not_fit_are_named_in_one_sentence(reference: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        parse_reference(reference)


def test_an_equals_sign_may_be_part_of_a_value() -> None:
    assert parse_reference("folder:path=/a=b") == ("folder", {"path": "/a=b"})


def test_brackets_in_the_middle_of_a_value_stay() -> None:
    assert parse_reference("folder:path=/a (1)/(b)") == ("folder", {"path": "/a (1)/(b)"})


def test_nothing_is_split_inside_brackets() -> None:
    assert split_outside("a:(b:c):d(e:f)g", ":") == ["a", "(b:c)", "d(e:f)g"]
    with pytest.raises(BadInput, match="lacks a closing bracket"):
        split_list("dm(steps=3,random")
