"""`pi-gym`: the commands, and what they have in common.

A command imports what it needs when it runs, so that `pi-gym --help` is quick.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pi_gym.cli import (
    asked,
    audit,
    calibrate,
    check_task,
    demo,
    describe,
    evaluate,
    export,
    list_,
    make_world,
    mcp,
    new_task,
    play,
    report,
    rescore,
    rollout,
    serve,
    serve_env,
    show,
    validate,
    view,
)
from pi_gym.errors import PiGymError, UnknownName
from pi_gym.version import __version__

BAD_ARGUMENT, FAILED, INTERRUPTED = 2, 1, 130


class Commands(TyperGroup):
    """Turns what pi_gym raises on purpose into one line on stderr and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PiGymError as error:
            typer.echo(f"pi-gym: {error}", err=True)
            bad = isinstance(error, UnknownName | ValueError | TypeError)
            raise typer.Exit(BAD_ARGUMENT if bad else FAILED) from None
        except KeyboardInterrupt:
            typer.echo("pi-gym: stopped", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # Whoever read our output is gone; the interpreter must not complain again when it flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Long-horizon assistant work as Gymnasium environments.",
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"pi_gym {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import", metavar="MODULE", help="Import a module first, for the environments that it registers."
        ),
    ] = None,
) -> None:
    if imports and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    for name in imports or ():
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            raise UnknownName(f"--import {name}: {error}") from error


app.command("list")(list_.command)
app.command("show")(show.command)
app.command("play")(play.command)
app.command("rollout")(rollout.command)
app.command("evaluate")(evaluate.command)
app.command("report")(report.command)
app.command("view")(view.command)
app.command("serve")(serve.command)
app.command("serve-env")(serve_env.command)
app.command("mcp")(mcp.command)
app.command("rescore")(rescore.command)
app.command("audit")(audit.command)
app.command("calibrate")(calibrate.command)
app.command("export")(export.command)
app.command("validate")(validate.command)
app.command("check")(check_task.command)
app.command("new-task")(new_task.command)
app.command("describe")(describe.command)
app.command("questions")(asked.command)
app.command("make-world")(make_world.command)
app.command("demo")(demo.command)


def main() -> None:
    """The entry point."""
    app()
