from __future__ import annotations

import pytest

from stillproof.core.code_text import code_hash, code_text

COMPONENT = '''
"""A component."""
from stillproof.train.recipe import Recipe  # which is used

class Thing:
    """Says what it is."""
    text = """first

    last"""
    def run(self):
        """Says what it does.

        At length.
        """
        return 1 + 2
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""A component."""', '"""Something else."""'),
        ('"""A component."""', ""),
        ('    """Says what it is."""\n', ""),
        ("At length", "Äußerst kurz"),
        ("At length", "At\n\n        length"),
        ("  # which is used", "    # and why"),
        ("return 1 + 2", "return 1 + 2  # three"),
        ("class Thing:", "\n\n\nclass Thing:   "),
        ("\n", "\r\n"),
    ],
)
def test_comments_docstrings_and_blank_lines_do_not_count(old: str, new: str) -> None:
    assert old in COMPONENT
    assert code_hash(COMPONENT.replace(old, new)) == code_hash(COMPONENT)


@pytest.mark.parametrize(
    ("old", "new"),
    [("1 + 2", "1 + 3"), ("run", "go"), ("Recipe  #", "Recipe as R  #"), ("first\n\n", "first\n"), ("last", "Last")],
)
def test_code_counts_and_every_letter_of_a_text(old: str, new: str) -> None:
    assert old in COMPONENT
    assert code_hash(COMPONENT.replace(old, new)) != code_hash(COMPONENT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('x = ("a"  # note\n     "b")', 'x = ("a"\n     "b")'),
        ("x = [\n    1,  # one\n\n    2,\n]", "x = [\n    1,\n    2,\n]"),
    ],
)
def test_comments_between_parts_of_a_text_or_list_do_not_count(one: str, other: str) -> None:
    assert code_hash(one) == code_hash(other)


@pytest.mark.parametrize("text", ["x = '\u2028'", "x = f'''a {1}\n\n b'''", "x = '\x85'", "x = '''a  \nb'''"])
def test_odd_characters_and_blanks_of_a_text_are_letters_like_others(text: str) -> None:
    assert code_text(text) == text


def test_a_mark_inside_a_text_begins_no_comment() -> None:
    assert code_text("x = 'a # b'  # c\n") == "x = 'a # b'"


def test_letters_before_a_docstring_may_be_of_several_bytes() -> None:
    assert code_text("class Ä: 'ö' ; x = 1\n") == "class Ä:  ; x = 1"


def test_the_hash_of_a_known_text_is_the_same_on_every_python() -> None:
    # Not printed from a syntax tree, which versions of Python print differently.
    assert code_hash(COMPONENT) == "fe040b8338744cde2602673426e591115dc6b7d67efca5d6bd9a92f88b463951"
