"""`pi-gym view`: sessions of runs, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pi_gym.cli.common_options import path


def command(
    runs: Annotated[
        list[Path], typer.Argument(parser=path, metavar="DIR…", help="Runs, or folders that hold some at any depth.")
    ],
    static: Annotated[
        Path | None, typer.Option(parser=path, metavar="OUT.html", help="Write one file that holds all instead.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    replay: Annotated[
        bool | None,
        typer.Option(
            "--replay/--no-replay",
            help="With --static: play sessions again for diffs and rows. Left out: where there are at most 200.",
        ),
    ] = None,
    pack: Annotated[
        Path | None, typer.Option(parser=path, help="Where the sessions' pack lies, if not where each run had it.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where it listens; the page is for whoever can reach that.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens; 0: a free one.")] = 0,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep what was indexed in the user's cache folder.")
    ] = True,
) -> None:
    """Look at sessions of runs in a browser: conversations, judgements, two of one world side by side."""
    from pi_gym.viewer.replayed import Replays
    from pi_gym.viewer.server import PageServer
    from pi_gym.viewer.viewed_runs import ViewedRuns

    viewed = ViewedRuns(runs, cached=cache)
    replays = Replays(viewed, pack)
    if static is not None:
        from pi_gym.viewer.static_page import write_page

        size = write_page(viewed, static, replays=replays, replay=replay, force=force)
        typer.echo(f"written: {static}, {len(viewed.sessions)} sessions, {size / 1e6:.1f} MB")
        if problems := viewed.problems:
            more = f" (and {len(problems) - 1} more lines)" if len(problems) > 1 else ""
            typer.echo(f"pi-gym: left out: {problems[0]}{more}", err=True)
            raise typer.Exit(1)
        return
    with PageServer(viewed, replays, host, port) as server:
        server.begin()
        typer.echo(f"{server.url}\nCtrl-C ends it.")
        if open_:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("ended")
