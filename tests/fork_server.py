"""Imports torch once and answers every request with a fork that runs the command: a real process without the wait."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def serve() -> None:
    import alembic.command  # noqa: F401
    import sklearn.cluster  # noqa: F401
    import torch
    import torch._dynamo  # which the first optimiser of a process imports
    import typer._adapters  # noqa: F401

    import stillproof.api
    import stillproof.cli.main
    import stillproof.cli.progress  # noqa: F401
    from stillproof.core.components import networks
    from stillproof.nets.build import forward_flops

    torch.set_num_threads(1)
    forward_flops(networks.build("convnet-1:width=4"), 1, 8, 10)  # its first call imports a lot
    learn()
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            number = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            number = os.fork()
            if number == 0:
                answer(request)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def learn() -> None:
    """Do once what most commands would do anew: read the code behind names, build the verbs, make a first store."""
    import safetensors.torch  # noqa: F401
    import typer.main
    from PIL import Image

    from stillproof.cli.main import app
    from stillproof.core.components import REGISTRIES
    from stillproof.core.provenance import provenance
    from stillproof.store.store import open_store

    for registry in REGISTRIES.values():
        for name, entry in registry.entries().items():
            if entry.origin == "stillproof":
                registry.code(name)
    verbs = typer.main.get_command(app)
    typer.main.get_command = lambda _: verbs  # type: ignore[assignment]
    with TemporaryDirectory() as folder:
        open_store(f"{folder}/x.db").close()
    provenance()
    Image.init()
    gc.collect()
    gc.freeze()  # so that the collector of a fork does not touch, and thereby copy, all that it shares


def answer(request: dict[str, Any]) -> None:
    os.setsid()  # a group of its own, so that a test can stop it as a terminal would
    # As in a terminal, even if the tests themselves were started in the background, where shells have SIGINT ignored.
    signal.signal(signal.SIGINT, signal.SIG_IGN if request["background"] else signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.update(request["env"])
    for number, name in enumerate((os.devnull, request["out"], request["err"])):
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, number)
    code = 1
    try:
        if "--workers" in request["argv"] and sys.platform == "linux":
            from nursery import start_workers_from_here

            start_workers_from_here()
        if request["script"] is not None:
            sys.argv = request["argv"]
            exec(compile(request["script"], "script", "exec"), {"__name__": "script"})
            code = 0
        else:
            from stillproof.cli.main import main

            sys.argv = ["stillproof", *request["argv"]]
            main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    import nursery  # noqa: F401

    sys.path.remove(str(Path(__file__).parent))
    serve()
