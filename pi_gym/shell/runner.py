"""Answering shell asks: each command in a sandbox of its own, several at a time."""

from __future__ import annotations

import base64
import itertools
import os
import re
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pi_gym.errors import UnknownName, unknown
from pi_gym.shell import bubblewrap, landlock
from pi_gym.shell.command_template import SandboxFailed, ask_keeper, template_of
from pi_gym.shell.inside import PATIENCE
from pi_gym.shell.kernel import landlock_abi
from pi_gym.shell.limits import ShellLimits
from pi_gym.shell.seccomp import seccomp_filter
from pi_gym.shell.system import PYTHON_HOME
from pi_gym.state import Workspace
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.state.workspace import MAX_FILE_BYTES
from pi_gym.tools.shell_result import MAX_OUTPUT_CHARS, MAX_TAKEN_BYTES, MAX_TAKEN_FILES, ShellResult, printable
from pi_gym.types import Answer, Ask, ToolRequest

Backend: TypeAlias = Literal["auto", "bubblewrap", "landlock", "off"]
BACKENDS: tuple[Backend, ...] = ("auto", "bubblewrap", "landlock", "off")
#: What an agent that calls `exec` in vain is told; how to enable it is for people (`Availability.text`).
UNAVAILABLE = "no commands are run in this session"
#: Beyond the command's own time, for laying out and collecting.
SLACK_S = 60.0
_ENABLE = {
    "bubblewrap": "install bubblewrap (apt-get install bubblewrap) and allow user namespaces",
    "landlock": "run Linux 5.13 or newer with Landlock among its security modules, on x86_64 or aarch64",
}
#: The folder for temporary files, where a command names it.
_TEMPORARY = r"(?<![\w.~/-])/tmp(?![\w.-])"
_PROBE = "python3 -c 'import csv, decimal, json, sqlite3, zlib; print(6 * 7)'"


@dataclass(frozen=True, slots=True)
class Availability:
    """The availability of a sandbox for commands.

    Args:
        backend: the sandbox that is used; empty where there is none.
        reasons: for each sandbox that was tried and does not work, why.
    """

    backend: str
    reasons: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.backend)

    @property
    def text(self) -> str:
        """A sentence for people."""
        if self.backend:
            return f"commands run in {self.backend}"
        if not self.reasons:
            return 'the shell is turned off (exec_backend="off")'
        return "; ".join(f"{name}: {why}. To enable it, {_ENABLE[name]}" for name, why in self.reasons.items())


class ShellRunner:
    """Runs the commands of shell asks. It fits `PiEnv(responder=…)`, and holds nothing that must be closed.

    Args:
        backend: "bubblewrap", "landlock", the first of these that works ("auto"), or "off".
        limits: what a command may take.
        parallel: how many commands run at one time; None: as many as there are processors.

    Raises:
        UnknownName: no such backend.
    """

    def __init__(
        self, backend: Backend = "auto", *, limits: ShellLimits | None = None, parallel: int | None = None
    ) -> None:
        if backend not in BACKENDS:
            raise UnknownName(unknown("exec_backend", str(backend), BACKENDS))
        if parallel is not None and parallel < 1:
            raise ValueError(f"parallel: expected 1 or more, got {parallel!r}")
        self.backend, self.limits, self.parallel = backend, limits or ShellLimits(), parallel or os.cpu_count() or 1

    def available(self) -> Availability:
        """The sandbox that is used here, or why none is. The first call of a process tries them out."""
        reasons: dict[str, str] = {}
        tried = ("bubblewrap", "landlock") if self.backend == "auto" else (self.backend,)
        for name in tried:
            if name == "off":
                break
            why = _fault_of(name)
            if not why:
                return Availability(name, reasons)
            reasons[name] = why
        return Availability("", reasons)

    def respond(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
        """Answer shell asks, in their order; an ask of another kind gets an error."""
        if len(asks) <= 1:
            return tuple(map(self._answer, asks))
        with ThreadPoolExecutor(min(self.parallel, len(asks)), thread_name_prefix="pi_gym-shell") as pool:
            return tuple(pool.map(self._answer, asks))

    def __call__(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
        """The same as `respond`."""
        return self.respond(asks)

    def _answer(self, ask: Ask) -> Answer:
        if not isinstance(ask.request, ToolRequest) or ask.request.kind != "shell":
            return Answer(error=f"the shell answers no asks of kind {ask.kind!r}")
        found = self.available()
        if not found:
            return Answer({"unavailable": UNAVAILABLE})
        payload = ask.request.payload
        try:
            result = run_command(
                found.backend,
                _laid_out(payload["workspace"], payload.get("beside", {})),
                payload["command"],
                root=payload["root"],
                folder=payload["working_dir"],
                limits=_within(self.limits, payload.get("wall_s")),
                clock=payload.get("clock", ""),
                begun=payload.get("begun", ""),
            )
        except SandboxFailed as error:
            return Answer(error=str(error))
        return Answer(result.to_json())


def _laid_out(workspace: Workspace, beside: Mapping[str, str]) -> Workspace:
    """The workspace with the engine's own files in it; what stands in their way gives way."""
    if not beside:
        return workspace
    copy = workspace.fork()
    for top in dict.fromkeys(path.split("/")[0] for path in beside):
        other = copy.spelling(top) or top
        if copy.node(other) is not None:
            copy.delete(other)
    for path, text in beside.items():
        copy.write(path, text.encode(), limited=False)
    return copy


def _within(limits: ShellLimits, wall_s: float | None) -> ShellLimits:
    return limits if wall_s is None else replace(limits, wall_s=min(limits.wall_s, wall_s))


def run_command(
    backend: str,
    workspace: Workspace,
    command: str,
    *,
    root: str,
    folder: str,
    limits: ShellLimits,
    abi: int = 99,
    clock: str = "",
    begun: str = "",
) -> ShellResult:
    """Run one command over a copy of a workspace, which is not changed.

    Args:
        backend: "bubblewrap" or "landlock".
        workspace: the files.
        command: for the shell.
        root: where the workspace is shown: /home/<user>/workspace.
        folder: the working directory, relative to it.
        limits: what it may take.
        abi: the version of Landlock that is used, where the kernel has a later one.
        clock: the session's time, ISO 8601, which the command sees as its own; empty: it sees the host's.
        begun: when the session began, which is the time of files that the session has not written.

    Raises:
        SandboxFailed: it could not be run, or its result did not come.
    """
    times = {"now_s": _seconds(clock), "begun_s": _seconds(begun or clock) or time.time()}
    if backend == "bubblewrap":
        job = (
            _job(backend, workspace, limits, root)
            | times
            | {
                "argv": bubblewrap.shell_words(command),
                "cwd": f"{root}/{folder}" if folder else root,
                "env": _environment(root, "/tmp") | bubblewrap.loader_path(backend),
                "shown_uid": bubblewrap.UID,
                "uid": template_of(backend).uid,
                "seccomp": seccomp_filter(alone=False).hex(),
            }
        )
        return _result(_kept(backend, job, workspace, limits))
    abi = min(abi, landlock_abi())
    with tempfile.TemporaryDirectory(prefix=f"pi_gym-shell-{os.getpid()}-", ignore_cleanup_errors=True) as place:
        python, user = f"{template_of(backend).folder}/python", str(Path(root).parent)
        uid = landlock.own_user(next(_numbers))
        env = _environment(place + root, f"{place}/tmp") | {"PYTHONHOME": python, "USER": Path(user).name}
        env |= bubblewrap.loader_path(backend) if landlock.shows_own_python() else {}
        env |= {"PATH": f"{python}/bin:/usr/bin:/bin"}
        # There is no mount that would show the copy where the agent believes it.
        moved = re.sub(rf"{re.escape(user)}|{_TEMPORARY}", lambda found: place + found[0], command)
        job = (
            _job(backend, workspace, limits, root)
            | times
            | {
                "place": place,
                "argv": bubblewrap.shell_words(moved),
                "cwd": f"{place}{root}/{folder}" if folder else place + root,
                "env": env,
                "uid": uid,
                "readable": landlock.readable(python),
                "devices": landlock.devices(),
                "abi": abi,
                "seccomp": seccomp_filter(alone=True, own_user=bool(uid), abi=abi).hex(),
            }
        )
        done = _kept(backend, job, workspace, limits)
        if "output" in done:
            shown = base64.b64decode(done["output"]).replace(place.encode(), b"")
            done["output"] = base64.b64encode(shown).decode()
        return _result(done)


def _job(backend: str, workspace: Workspace, limits: ShellLimits, root: str) -> dict[str, Any]:
    user, number = Path(root).parent.name, bubblewrap.UID
    etc = {
        "passwd": f"root:x:0:0:root:/:/bin/sh\n{user}:x:{number}:{number}:{user}:{Path(root).parent}:/bin/bash\n",
        "group": f"root:x:0:\n{user}:x:{number}:\n",
        "hosts": "127.0.0.1 localhost workspace\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    return {
        "backend": backend,
        "root": root,
        "etc": etc,
        "folders": list(_folders(workspace, "")),
        "limits": limits.to_json(),
        "caps": {
            "files": MAX_TAKEN_FILES,
            "bytes": MAX_TAKEN_BYTES,
            "file_bytes": MAX_FILE_BYTES,
            "entries": limits.entries,
        },
        "output_bytes": 4 * MAX_OUTPUT_CHARS,
    }


def _folders(workspace: Workspace, path: str) -> list[str]:
    found = []
    for name, is_folder in workspace.names(path):
        if is_folder:
            place = f"{path}/{name}" if path else name
            found += [place, *_folders(workspace, place)]
    return found


def _environment(root: str, scratch: str) -> dict[str, str]:
    home = str(Path(root).parent)
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "PATH": f"{PYTHON_HOME}/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",  # else every import of an own module would be a change
        "PYTHONNOUSERSITE": "1",
        "TERM": "dumb",
        "TMPDIR": scratch,
        "TZ": "UTC",
        "USER": Path(home).name,
    }


def _seconds(clock: str) -> float | None:
    """A time of the session's, which the command sees as one of the zone UTC."""
    return datetime.fromisoformat(clock).replace(tzinfo=UTC).timestamp() if clock else None


def _kept(backend: str, job: dict[str, Any], workspace: Workspace, limits: ShellLimits) -> dict[str, Any]:
    """The keeper's answer to a job."""
    files, begun_s = list(workspace.walk()), job["begun_s"]
    job["files"] = [
        [path, len(blob.data), (_seconds(blob.written) or begun_s) if job["now_s"] else begun_s] for path, blob in files
    ]
    return ask_keeper(backend, job, [blob.data for _, blob in files], PATIENCE * limits.wall_s + SLACK_S)


def _result(done: dict[str, Any]) -> ShellResult:
    """The keeper's word, with names and texts made fit for the workspace and the transcript."""
    refused = [(_shown(path), why) for path, why in done["refused"]]

    def kept(path: str) -> bool:
        try:
            if normalise(path) == path:
                return True
            why = "the name is not in Unicode normal form C"
        except PathRefused as error:
            why = str(error)
        refused.append((_shown(path), why))
        return False

    shown = printable(base64.b64decode(done["output"]))
    cut = len(shown) > MAX_OUTPUT_CHARS or done["printed"] > 4 * MAX_OUTPUT_CHARS
    return ShellResult(
        exit=done["exit"],
        output=shown[:MAX_OUTPUT_CHARS],
        cut=done["printed"] if cut else 0,
        ended=done["ended"],
        starved=done["starved"],
        files={path: base64.b64decode(data) for path, data in done["files"].items() if kept(path)},
        folders=tuple(path for path in done["folders"] if kept(path)),
        deleted=tuple(done["deleted"]),
        refused=tuple(refused[:200]),
        overflow=done["overflow"],
    )


def _shown(path: str) -> str:
    """A name that may hold anything, fit for one line of a transcript."""
    text = path.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)[:200]


# -- trying out ----------------------------------------------------------------------------------------------------

_numbers = itertools.count()
_faults: dict[str, str] = {}
_trying = threading.Lock()


def _fault_of(backend: str) -> str:
    """The reason why a sandbox does not work here; empty where it does. Tried once per process."""
    with _trying:
        if backend not in _faults:
            _faults[backend] = _try(backend)
        return _faults[backend]


def _try(backend: str) -> str:
    if backend == "bubblewrap" and not bubblewrap.find_bwrap():
        return "the program bwrap is not installed"
    why = landlock.fault() if backend == "landlock" else ""
    if why:
        return why
    run = partial(run_command, backend, Workspace({"a": b"a"}), root="/home/user/workspace", folder="")
    try:
        result = run(_PROBE, limits=ShellLimits(wall_s=20))
    except SandboxFailed as error:
        return str(error)
    if result.exit or result.output.strip() != "42":
        return f"a trial command failed (status {result.exit}): {result.output.strip()[-200:]}"
    return ""
