"""What ends a command, in a sentence, with its exit code; a fault of our own keeps its trace, by which it is mended."""

from __future__ import annotations

import traceback

from stillproof.core.errors import StillproofError, StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.core.printable import one_line, printable


def ended_by_parser(error: SystemExit) -> bool:
    """Say whether the parser of the command line has ended the command, as it does after it has set up a shell."""
    frame = [place for place, _ in traceback.walk_tb(error.__traceback__)][-1]
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "typer"


def told(error: BaseException) -> tuple[str, int]:
    """Return what to say of an error that no verb has caught, and the exit code."""
    if isinstance(error, StillproofError):
        return one_line(str(error)), error.exit_code
    if isinstance(error, SystemExit):
        frame = traceback.extract_tb(error.__traceback__)[-1]
        what = f"sys.exit({error.code!r}) was called at {frame.filename}, line {frame.lineno}"
        return one_line(f"{what}, which is no way to end a command: raise an error instead."), StillproofError.exit_code
    if isinstance(error, OSError) and error.errno is not None:
        where = str(error.filename) if error.filename is not None else "what was to be written or read"
        return one_line(f"{where}: {plain_reason(error)}."), StoreError.exit_code
    if isinstance(error, MemoryError):
        return "there is not enough memory: ask for less at a time.", StillproofError.exit_code
    trace = printable("".join(traceback.format_exception(error)))
    return f"this should not have happened, please report it:\n{trace}", StillproofError.exit_code
