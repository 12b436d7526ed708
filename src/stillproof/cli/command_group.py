"""How groups of verbs behave: help that is not cut off, and a hint for a verb that is called otherwise here."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from typer.core import TyperGroup

from stillproof.core.errors import BadInput

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

SUITE_RUNS = "a suite runs with `stillproof run SUITE`, `stillproof list suites` names them."
GOES_ON = "the same command again goes on where it stopped; `stillproof status` lists what was asked."
SCORES = "`stillproof train SET` scores a distilled set, `stillproof attack MODEL` a model, `stillproof run` many."
GETS = "`stillproof data get NAME` fetches a data set, `stillproof data list` says which are here."
SHOWS = "`stillproof table SUITE` prints what a run found, `stillproof status` what there is."
DRAWS = "`stillproof plot SUITE` draws figures, `stillproof gallery SET` the images of a set."
COPIES = (
    "`--out` of distill and import copies a set to a folder, `pool export` and `attack-set export` several; "
    "`db export-results` writes the numbers of a run."
)
TIDIES = "`stillproof db rm` removes a run, `stillproof db prune` what nothing needs."
DISTILS = "`stillproof distill DATASET METHOD --ipc N` makes a distilled set."
SETTINGS = "`stillproof show SUITE --config` writes a configuration, which `run --config FILE` takes."
CHECKS = "`stillproof check FILE` checks a plug-in, `stillproof attack --check` the gradients of a model."

HINTS = {
    **dict.fromkeys(("resume", "continue", "restart", "retry"), GOES_ON),
    **dict.fromkeys(("eval", "evaluate", "score", "test", "predict"), SCORES),
    **dict.fromkeys(("bench", "benchmark", "suite", "start"), SUITE_RUNS),
    **dict.fromkeys(("download", "fetch", "get", "dataset", "datasets"), GETS),
    **dict.fromkeys(("result", "results", "report", "log", "logs", "history", "leaderboard"), SHOWS),
    **dict.fromkeys(("figure", "figures", "draw", "visualise", "visualize", "preview", "images"), DRAWS),
    **dict.fromkeys(("export", "save", "upload"), COPIES),
    **dict.fromkeys(("rm", "remove", "delete", "clean", "prune", "reset"), TIDIES),
    **dict.fromkeys(("distil", "condense", "synthesise", "synthesize", "compress"), DISTILS),
    **dict.fromkeys(("init", "config", "configure"), SETTINGS),
    "validate": CHECKS,
    **dict.fromkeys(("load", "add", "ingest"), "`stillproof import PATH --dataset NAME` takes sets and models."),
    **dict.fromkeys(("ls", "methods", "attacks", "networks"), "`stillproof list` names all components."),
    **dict.fromkeys(("info", "describe", "inspect"), "`stillproof show NAME` explains a component."),
    **dict.fromkeys(("diff", "versus"), "`stillproof compare A B` says whether a difference is real."),
    "bibtex": "`stillproof cite` prints BibTeX.",
    "estimate": "`stillproof run SUITE --dry-run` says what a suite would cost.",
    "robustness": "`stillproof attack MODEL --dataset NAME --attack pgd` attacks a model.",
    "version": "`stillproof --version` prints it.",
    "help": "`stillproof --help` lists the verbs, `stillproof VERB --help` explains one.",
    "stop": "Ctrl-C stops a run, and the same command goes on with it.",
}


class WholeHelp(TyperGroup):
    """A group whose help says of each verb a whole sentence."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the verbs with what they do, on as many lines as it takes."""
        verbs = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        shown = [(name, (verb.help or "").partition("\n\n")[0]) for name, verb in verbs if not verb.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(shown)


class Verbs(WholeHelp):
    """The verbs of ``stillproof``."""

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the verb, or say what it is called here."""
        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        close = difflib.get_close_matches(name, self.commands)
        if name in HINTS:
            hint = HINTS[name]
        elif close:
            hint = f"did you mean {' or '.join(map(repr, close))}?"
        else:
            hint = "`stillproof --help` lists the verbs."
        raise BadInput(f"there is no verb {name!r}: {hint}")
