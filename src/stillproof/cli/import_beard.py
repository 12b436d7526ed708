"""The part of stillproof import that takes BEARD's logs and configurations."""

from __future__ import annotations

from pathlib import Path

from stillproof.cli.config import to_toml
from stillproof.cli.output import say, write, write_json
from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason

LOG, CONFIG = "beard-log", "beard-config"


def takes(path: Path, form: str) -> bool:
    """Say whether a path is one of these, by its name or because the format was named."""
    if form != "auto" or not path.exists():
        return form in (LOG, CONFIG) and path.exists()
    from stillproof.importers.beard_config import is_config
    from stillproof.importers.beard_log import is_log

    return is_config(path) or is_log(path)


def import_beard(
    path: Path, form: str, out: Path | None, store: str | None, plugin: list[Path] | None, as_json: bool
) -> None:
    """Put logs into the store and print their scores, or write a configuration as TOML."""
    from stillproof.importers.beard_config import is_config

    if form == CONFIG or (form == "auto" and is_config(path)):
        _config(path, out, as_json)
        return
    if out is not None:
        raise BadInput(f"--out copies an imported set or model, and {path} is a log: leave it out.")
    _logs(path, store, plugin, as_json)


def _config(path: Path, out: Path | None, as_json: bool) -> None:
    from stillproof.core.components import suites
    from stillproof.importers.beard_config import read_config

    read = read_config(path)
    text = "".join(f"# on the model that it loads: {command}\n" for command in read.commands)
    if read.suite:
        suites.build(read.suite, read.params)  # what cannot be asked is refused here, and not when it runs
        text = to_toml(read.suite, read.params) + text
    for sentence in read.found:
        say(f"found: {sentence}")
    if out is not None:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{out} cannot be written: {plain_reason(error)}.") from error
    if as_json:
        about = {"suite": read.suite, "params": read.params, "commands": list(read.commands)}
        write_json({"found": list(read.found), "sets": [], "models": [], "config": about})
    elif out is None:
        write(text)
    else:
        write(f"{out}\nnext: {f'stillproof run {read.suite} --config {out}' if read.suite else read.commands[0]}")


def _logs(path: Path, store: str | None, plugin: list[Path] | None, as_json: bool) -> None:
    import dataclasses

    from stillproof.cli.session import session
    from stillproof.importers.beard_log import read_logs
    from stillproof.report.attack_log_table import log_table
    from stillproof.verbs.log_scores import scores_of_logs

    read_logs(path)  # before a store is made
    with session(store, None, plugin) as opened:
        made = opened.import_logs(path)
    scores = scores_of_logs(made)
    values = [dataclasses.asdict(one.log) for one in made]
    if as_json:
        logs = [
            {"artifact": one.artifact, "name": one.name, "path": str(one.path), "cached": one.cached, **log}
            for one, log in zip(made, values, strict=True)
        ]
        write_json({"found": [], "sets": [], "models": [], "logs": logs, "scores": scores})
        return
    write(repr(log_table(values, scores)))
    for one in made:
        write(f"{one.name}: {'already in the store' if one.cached else 'imported'}; artifact {one.artifact}")
