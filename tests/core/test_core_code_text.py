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


def test_a_mark_inside_a_text_begins_no_comment() -> None:
    assert code_text("x = 'a # b'  # c\n") == "x = 'a # b'"


def test_letters_before_a_docstring_may_be_of_several_bytes() -> None:
    assert code_text("class Ä: 'ö' ; x = 1\n") == "class Ä:  ; x = 1"


def test_the_hash_of_a_known_text_is_the_same_on_every_python() -> None:
    # Not printed from a syntax tree, which versions of Python print differently.
    assert code_hash(COMPONENT) == "d2648428228aca1461874ab23e035cb6ee2ecb0dc0cabc14c15bfc6af1cc31d6"
