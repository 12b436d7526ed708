from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from fresh_python import run_python
from stillproof.core.printable import one_line, printable

HOSTILE = "\x1b[31mred\x1b]0;title\x07\r\x9b2J\u202egnp\u2066\u2028\x7f\udc80\x00"


@given(st.text(st.characters(), max_size=50))
def test_nothing_that_is_printed_moves_a_cursor_or_cannot_be_encoded(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert {one for one in shown if unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs")} <= {"\n", "\t"}
    assert printable(shown) == shown
    assert "\n" not in one_line(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "M"]), max_size=50))
def test_words_of_any_language_stay_as_they_are(text: str) -> None:
    assert printable(text) == one_line(text) == text


def test_what_is_hidden_is_shown_as_python_writes_it() -> None:
    assert printable(HOSTILE) == (r"\x1b[31mred\x1b]0;title\x07\r\x9b2J\u202egnp\u2066\u2028\x7f\udc80\x00")
    assert one_line("a\nb\tc") == r"a\nb\tc"


def test_messages_are_cleaned_too() -> None:
    code = f"""
import logging
from stillproof.core.printable import log_to_stderr
import sys
sys.stderr = sys.stdout
log_to_stderr()
logging.getLogger("x").warning("plug-in %s", {HOSTILE!r})
"""
    assert run_python(code) == f"plug-in {printable(HOSTILE)}\n"
