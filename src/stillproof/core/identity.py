"""What source code adds to a component's name: nothing while it is as released and its numbers never changed."""

from __future__ import annotations

import functools

from stillproof.core.closure import PACKAGE, closure
from stillproof.core.code_text import code_hash
from stillproof.core.lock import difference, path_in_lock, read_lock
from stillproof.core.spec import Json, digest

SHORT = 16  # characters of a hash


@functools.cache
def code_identity(module: str, text: str | None = None) -> Json:
    """Return what the code of ``module`` adds to its components' names, as JSON values; ``text`` where it has no file.

    ``generations`` are the generations above 1 of Stillproof's files behind it, ``edited`` is a hash of the files that
    are not as released, and ``own`` is a hash of the files of a plug-in; what does not apply is left out.
    """
    files = closure(module, text)
    ours = {name: code for name, code in files.items() if name.partition(".")[0] == PACKAGE}
    lines = {name: read_lock().get(path_in_lock(name) or "") for name in ours}
    generations = {name: line.generation for name, line in lines.items() if line is not None and line.generation > 1}
    edited = {name: found for name, code in ours.items() if (found := difference(name, code)) is not None}
    own = {name: code_hash(code.text) for name, code in files.items() if name not in ours}
    # A plug-in file's module is named by a hash of all its bytes, so that its comments would count.
    own_files = sorted(own.values()) if len(own) == 1 else own
    parts = {
        "generations": generations,
        "edited": edited and digest(edited)[:SHORT],
        "own": own_files and digest(own_files)[:SHORT],
    }
    return {key: value for key, value in parts.items() if value}
