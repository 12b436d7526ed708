from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from commands import TINY, Commands
from stillproof.core.components import REGISTRIES
from stillproof.report.citations import as_bibtex, bibliography, own_citation

PAPERS = {
    paper
    for registry in REGISTRIES.values()
    for entry in registry.entries().values()
    if entry.origin == "stillproof" and entry.paper
    for paper in re.split(r", (?=arXiv:)", entry.paper)
}
RUN = ["run", "accuracy", "--dataset", "digits", "--methods", "random,dm", "--scale", "smoke", "--seeds", "1", *TINY]
REQUIRED = {  # beside title, author and year
    "article": {"journal"},
    "inproceedings": {"booktitle"},
    "techreport": {"institution"},
    "misc": set(),
}


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_every_paper_that_a_component_names_has_an_entry(paper: str) -> None:
    kind, _, fields = _parse(bibliography()[paper])
    assert {"title", "author", "year"} | REQUIRED[kind] <= fields.keys()
    scheme, _, number = paper.rpartition(":")
    if scheme:
        assert number in fields[{"arXiv": "eprint", "doi": "doi", "openreview": "url"}[scheme]]
    assert ("eprint" in fields) == ("archiveprefix" in fields)
    assert kind != "misc" or fields.keys() & {"eprint", "howpublished"}, "nothing says where it is found"


def _parse(entry: str) -> tuple[str, str, dict[str, str]]:
    """Return kind, key and fields of an entry, which fails unless it has one field a line with its braces closed."""
    first, *lines, last = entry.splitlines()
    start = re.fullmatch(r"@(\w+)\{(\w+),", first)
    assert start is not None and last == "}", entry
    found = [re.fullmatch(r"  (\w+) = \{(.+)\},", line) for line in lines]
    pairs = [(one[1], one[2]) for one in found if one is not None]
    assert len(dict(pairs)) == len(lines), "a line that is no field, or a field twice"
    assert all(_closed(value) for _, value in pairs), entry
    return start[1], start[2], dict(pairs)


def _closed(value: str) -> bool:
    depths = list(itertools.accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in value))
    return min(depths) >= 0 and depths[-1] == 0


def test_a_key_is_the_surname_of_the_first_author_and_the_year() -> None:
    for entry in bibliography().values():
        _, key, fields = _parse(entry)
        authors = fields["author"].split(" and ")
        assert all(re.fullmatch(r"[^,]+, [^,]+", author) for author in authors), key
        assert len(set(authors)) == len(authors), key
        surname = re.sub(r"[^a-z]", "", authors[0].split("-")[0].split(",")[0].lower())
        assert re.fullmatch(f"{surname}{fields['year']}[a-z0-9]+", key), key


def test_no_entry_is_left_over_and_keys_differ() -> None:
    assert bibliography().keys() == PAPERS
    keys = [re.split("[{,]", entry)[1] for entry in bibliography().values()]
    assert len(set(keys)) == len(keys)


def test_the_year_of_a_paper_is_not_before_its_preprint() -> None:
    for paper, entry in bibliography().items():
        if paper.startswith("arXiv:"):
            found = re.search(r"year = \{(\d+)\}", entry)
            assert found is not None and int(found[1]) >= 2000 + int(paper[6:8]), paper


def test_without_a_run_stillproof_alone_is_cited(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("cite", cwd=tmp_path)
    assert done.out == as_bibtex([own_citation()]) and done.out.startswith("% stillproof\n@software{stillproof,\n")
    assert list(tmp_path.iterdir()) == [], "asking makes no store"


def test_a_run_cites_its_suite_methods_networks_and_data(tmp_path: Path, stillproof: Commands) -> None:
    assert stillproof(*RUN, cwd=tmp_path).code == 0
    found = stillproof("cite", "accuracy", "--json", cwd=tmp_path).json()["citations"]
    names = {name for one in found for name in one["names"]}
    assert {"stillproof", "dm", "convnet", "digits"} <= names and not {"mtt", "herding"} & names
    assert len({one["paper"] for one in found}) == len(found)
    text = stillproof("cite", "1", cwd=tmp_path).out
    assert "% dm\n@inproceedings{zhao2023distribution,\n" in text and text.count("@") == len(found)
    absent = stillproof("cite", "7", cwd=tmp_path)
    assert absent.code == 2 and "this store has no run '7'" in absent.sentence()


def test_attacks_are_cited_and_so_is_what_no_entry_is_known_of(tmp_path: Path, stillproof: Commands) -> None:
    (tmp_path / "own.py").write_text(
        "from dataclasses import dataclass\n"
        "from stillproof.plugin import attacks\n"
        "from stillproof.attack.fgsm import FGSM\n"
        "@attacks.register('own', version=1, paper='arXiv:9901.00001')\n"
        "@dataclass(frozen=True)\n"
        "class Own(FGSM):\n    '''An attack.'''\n"
    )
    score = stillproof("train", "digits", "--recipe", "smoke", "--seeds", "1", *TINY, "--json", cwd=tmp_path).json()
    about = [score["models"][0], "--dataset", "digits", "--limit", "5", "--plugin", "own.py"]
    assert stillproof("attack", *about, "--attack", "pgd,own", cwd=tmp_path).code == 0
    text = stillproof("cite", "2", "--plugin", "own.py", cwd=tmp_path).out
    assert (
        "% pgd\n@inproceedings{madry2018towards,\n" in text and "% own\n% arXiv:9901.00001: no entry is known" in text
    )
