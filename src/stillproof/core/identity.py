"""What of its source code names a component: nothing, while it is as released and its numbers never changed."""

from __future__ import annotations

import functools

from stillproof.core.closure import closure
from stillproof.core.code_text import code_hash
from stillproof.core.errors import BadInput
from stillproof.core.lock import difference, line_of
from stillproof.core.source import PACKAGE
from stillproof.core.spec import Json, digest

SHORT = 16  # letters of a hash


@functools.cache
def code_identity(module: str, text: str | None = None) -> Json:
    """Return what names the code of a component that ``module`` defines, as JSON values; ``text`` where it has no file.

    ``generations`` are those above 1 of Stillproof's files behind it, ``edited`` is a hash of those that are not as
    released, and ``own`` is a hash of the files of plug-ins; what does not apply is left out.
    """
    files = closure(module, text)
    if not files:
        raise BadInput(
            f"the source of {module} cannot be read, so its results cannot be named: put it into a .py file."
        )
    ours = {name: code for name, code in files.items() if name.partition(".")[0] == PACKAGE}
    lines = [line for name in ours if (line := line_of(name)) is not None]
    edited = {name: found for name, code in ours.items() if (found := difference(name, code)) is not None}
    # By content: the module of a plug-in file is called after a hash of all its bytes, comments among them.
    own = sorted(code_hash(code.text) for name, code in files.items() if name not in ours)
    parts = {
        "generations": {key: generation for line in lines for key, generation in line.generations().items()},
        "edited": edited and digest(edited)[:SHORT],
        "own": own and digest(own)[:SHORT],
    }
    return {key: value for key, value in parts.items() if value}
