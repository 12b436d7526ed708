from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from fresh_python import run_python
from stillproof.core.components import REGISTRIES, networks, recipes
from stillproof.core.errors import BadInput, DuplicateName, UnknownName
from stillproof.core.given_params import given_params
from stillproof.core.index import Entry
from stillproof.core.registry import Registry
from stillproof.core.spec import canonical_json
from stillproof.train.recipe import Recipe


@pytest.fixture
def gadgets() -> Registry[Any]:
    return Registry("gadget", "gadgets", "stillproof.core")


@dataclass(frozen=True)
class Gadget:
    """A thing with one parameter of each kind.

    More about it.
    """

    steps: int = 10
    lr: float = 0.5
    fast: bool = False
    mode: Literal["up", "down"] = "up"
    sizes: tuple[int, ...] = (1, 2)
    shared: ClassVar[str] = "no parameter"

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")


@dataclass(frozen=True)
class Needy:
    path: str


def enter(registry: Registry[Any], cls: type = Gadget, name: str = "gadget") -> type:
    return registry.register(name, version=3, paper="arXiv:0000.00000", names={"gadget-9": {"steps": 9}})(cls)


def test_a_name_gives_the_defaults(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    assert gadgets.build("gadget") == Gadget()


def test_parameters_in_a_name_become_the_types_of_the_fields(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    built = gadgets.build("gadget:steps=3:lr=1e-2:fast=true:mode=down")
    assert built == Gadget(3, 0.01, True, "down")
    assert [type(value) for value in (built.steps, built.lr, built.fast)] == [int, float, bool]


@pytest.mark.parametrize("reference", ["gadget:sizes=4,5", "gadget:sizes=(4,5)", "gadget(sizes=(4, 5))"])
def test_lists_in_a_name_are_split_at_their_commas(gadgets: Registry[Any], reference: str) -> None:
    enter(gadgets)
    assert gadgets.build(reference).sizes == (4, 5)


def test_lists_from_json_become_tuples(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    assert gadgets.build("gadget", {"sizes": [4, 5]}).sizes == (4, 5)


def test_a_short_name_settles_parameters_and_the_caller_has_the_last_word(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    assert gadgets.build("gadget-9").steps == 9
    assert gadgets.build("gadget-9:steps=8").steps == 8
    assert gadgets.build("gadget-9:steps=8", {"steps": 7}).steps == 7


def test_unknown_names_come_with_what_was_meant(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    with pytest.raises(UnknownName, match=r"unknown gadget 'gadgt'; did you mean 'gadget' or 'gadget-9'\?"):
        gadgets.build("gadgt")
    with pytest.raises(UnknownName, match=r"unknown gadget 'zzz'; choose one of gadget, gadget-9\."):
        gadgets.get("zzz")


def test_unknown_parameters_come_with_what_was_meant(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    with pytest.raises(UnknownName, match=r"unknown parameter 'stps' of gadget 'gadget'; did you mean 'steps'"):
        gadgets.build("gadget:stps=3")
    with pytest.raises(UnknownName, match="of gadget"):
        gadgets.build("gadget:shared=x")


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ("steps=many", r"gadget 'gadget': steps = 'many' is not allowed: give a whole number"),
        ("steps=2.5", r"steps = '2\.5' is not allowed"),
        ("mode=left", r"mode = 'left' is not allowed: .*'up' or 'down'"),
        ("steps=0", r"gadget 'gadget': .*steps must be at least 1, not 0\."),
        ("lr=nan", r"gadget 'gadget': lr = nan is not allowed: .*finite"),
        ("lr=-inf", r"lr = -inf is not allowed"),
    ],
)
def test_a_bad_value_gives_one_sentence(gadgets: Registry[Any], params: str, sentence: str) -> None:
    enter(gadgets)
    with pytest.raises(BadInput, match=sentence) as caught:
        gadgets.build(f"gadget:{params}")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_missing_parameter_is_asked_for_by_name(gadgets: Registry[Any]) -> None:
    gadgets.register("needy", version=1)(Needy)
    with pytest.raises(BadInput, match=r"gadget 'needy' needs a value for path, which has no default\."):
        gadgets.build("needy")


def test_a_class_made_here_is_listed_like_those_of_files(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    assert gadgets.entry("gadget-9") == Entry(
        kind="gadgets",
        name="gadget-9",
        version=3,
        paper="arXiv:0000.00000",
        summary="A thing with one parameter of each kind.",
        module=__name__,
        origin=__name__,
        qualname="Gadget",
        family="gadget",
        params={
            "steps": "int",
            "lr": "float",
            "fast": "bool",
            "mode": "Literal['up', 'down']",
            "sizes": "tuple[int, ...]",
        },
        fixed={"steps": 9},
    )


def test_a_spec_keeps_family_version_and_all_parameters(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    spec = gadgets.spec(gadgets.build("gadget-9:lr=0.25"))
    assert (spec.kind, spec.name, spec.version) == ("gadget", "gadget", 3)
    assert spec.as_dict()["params"] == {"steps": 9, "lr": 0.25, "fast": False, "mode": "up", "sizes": [1, 2]}


def test_an_identity_keeps_the_parameters_that_are_not_defaults(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    found = gadgets.identity(gadgets.build("gadget-9:lr=0.5:sizes=1,3"))
    assert (found["name"], found["version"]) == ("gadget", 3)
    assert found["params"] == {"steps": 9, "sizes": [1, 3]}
    assert len(found["own"]) == 16, "it is no file of Stillproof's"


def test_a_component_comes_back_from_its_identity() -> None:
    for reference in ("dc-bench-dsa:augment=dsa(strategy=flip_scale)", "smoke:objective=kl(temperature=4.0)"):
        recipe = recipes.build(reference)
        assert recipes.rebuild(recipes.identity(recipe)) == recipe
    for reference in ("convnet-3-bn:width=8", "mlp", "nas201:arch=333132:affine=false"):
        network = networks.build(reference)
        assert networks.rebuild(networks.identity(network)) == network


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ("convnet-3", "convnet-3"),
        ("convnet", "convnet-3"),
        ("convnet:depth=2:width=4", "convnet-2:width=4"),
        ("convnet:depth=3:norm=batch", "convnet-3-bn"),
        ("convnet:width=4:depth=7", "convnet:depth=7:width=4"),
    ],
)
def test_a_component_is_always_written_in_the_same_way(written: str, reference: str) -> None:
    assert networks.reference(networks.build(written)) == reference
    assert networks.build(reference) == networks.build(written)


def test_a_parameter_that_names_a_component_is_that_component(gadgets: Registry[Any]) -> None:
    ways = ("dc-bench-dsa", "dc-bench-dsa:augment=dsa", "dc-bench-dsa:augment=none", "dc-bench-dsa:augment=mixup")
    found = [given_params(recipes.build(way), Recipe) for way in ways]
    assert found[0] == found[1] and found[0]["augment"] == {"name": "dsa", "version": 1, "params": {}}
    assert "augment" not in found[2] and found[3]["augment"]["name"] == "mixup"
    with pytest.raises(UnknownName, match="did you mean"):
        given_params(recipes.build("dc-bench-dsa:augment=mixip"), Recipe)


def test_the_same_component_by_two_names_has_one_spec(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    texts = [canonical_json(gadgets.spec(gadgets.build(n)).as_dict()) for n in ("gadget-9", "gadget:steps=9")]
    assert texts[0] == texts[1]


def test_what_was_never_registered_has_no_spec(gadgets: Registry[Any]) -> None:
    with pytest.raises(BadInput, match="Gadget is not a registered gadget"):
        gadgets.spec(Gadget())


def test_a_name_of_another_module_is_not_taken_over(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    stranger = type("Stranger", (), {"__module__": "elsewhere"})
    for name in ("gadget", "gadget-9"):
        with pytest.raises(DuplicateName, match=f"gadget '{name}' of elsewhere is already defined by {__name__}"):
            gadgets.register(name, version=1)(stranger)
    assert gadgets.get("gadget") is Gadget


def test_short_names_are_not_taken_over_either(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    stranger = type("Stranger", (), {"__module__": "elsewhere"})
    with pytest.raises(DuplicateName, match="gadget-9"):
        gadgets.register("other", version=1, names={"gadget-9": {}})(stranger)
    assert "other" not in gadgets.entries()


def test_two_classes_of_one_file_cannot_share_a_name(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    with pytest.raises(DuplicateName, match="gadget 'gadget'"):
        enter(gadgets, Needy)
    assert gadgets.get("gadget") is Gadget


def test_a_notebook_may_define_a_class_again(gadgets: Registry[Any]) -> None:
    first, second = (type("Mine", (), {"__module__": "__main__", "__doc__": text}) for text in ("old", "new"))
    for cls in (first, second):
        gadgets.register("mine", version=1)(cls)
    assert gadgets.get("mine") is second
    assert gadgets.entry("mine").summary == "new"


def test_what_a_module_registered_can_be_forgotten(gadgets: Registry[Any]) -> None:
    enter(gadgets)
    gadgets.remove("elsewhere")
    assert set(gadgets.entries()) == {"gadget", "gadget-9"}
    gadgets.remove(__name__)
    assert gadgets.entries() == {}
    with pytest.raises(UnknownName):
        gadgets.get("gadget")


@pytest.mark.parametrize("plural", REGISTRIES)
def test_every_listed_name_is_really_registered(plural: str) -> None:
    registry = REGISTRIES[plural]
    names = [name for name, entry in registry.entries().items() if entry.origin == "stillproof"]
    assert names
    for name in names:
        assert registry.get(name).__qualname__ == registry.entry(name).qualname


def test_the_built_in_specs_are_json() -> None:
    canonical_json(networks.spec(networks.build("convnet-3-bn")).as_dict())
    assert recipes.spec(recipes.build("dc-bench")).as_dict()["params"]["decay_epochs"] == [152]


SCRIPT = """
from dataclasses import dataclass
from stillproof import distillers

def helper():
    return 1

@distillers.register("scripted", version=1)
@dataclass(frozen=True)
class Scripted:
    steps: int = 1

    def distill(self, data, ipc, ctx):
        return helper()

print(distillers.identity(Scripted()))
"""


def test_the_whole_script_counts_where_a_class_is_defined_in_one(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    sources = []
    for text in (SCRIPT, SCRIPT + "# a comment", SCRIPT.replace("return 1", "return 2")):
        file.write_text(text, encoding="utf-8")
        sources.append(run_python(f"import runpy; runpy.run_path({str(file)!r}, run_name='__main__')"))
    assert sources[0] == sources[1] != sources[2]


def test_a_class_whose_source_is_nowhere_is_refused_in_one_sentence() -> None:
    code = f"""
from stillproof.core.errors import BadInput
try:
    exec({SCRIPT!r})
except BadInput as error:
    print(error)
"""
    assert run_python(code) == "the source of Scripted cannot be read: define it in a file or a notebook.\n"


def test_lists_are_written_with_commas() -> None:
    from stillproof.core.components import recipes

    assert recipes.build("smoke:decay_epochs=10,20").decay_epochs == (10, 20)
    assert recipes.build("smoke:decay_epochs=").decay_epochs == ()
    with pytest.raises(BadInput, match="decay_epochs"):
        recipes.build("smoke:decay_epochs=10,x")
