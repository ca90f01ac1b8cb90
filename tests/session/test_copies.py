"""Forks and pickles of sessions: cheap, isolated, and made of references."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from support.packs import PROTOCOL, TINY, copy_pack, protocol, tiny
from support.play import FINISHING, call, opened, play, step, write

from pi_gym.packs import load_pack
from pi_gym.pibench.history import world_after
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits
from pi_gym.state import Database, Table

MANY = Limits(max_steps=100_000, max_turns=100_000, max_tool_calls=100_000)


def aged(events: int) -> PiSession:
    """A session with at least so many events."""
    session = opened(limits=MANY)
    while len(session.log) < events:
        step(session, min(events, 64) * call("list_dir", path="."))
    return session


def seconds(work: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


# -- forks -----------------------------------------------------------------------------------------------------------


def test_a_fork_costs_the_same_after_ten_and_after_ten_thousand_events() -> None:
    young, old = aged(10), aged(10_000)
    # Interleaved, so that the machine's load is the same for both.
    ratio = min(seconds(old.fork, 400) / seconds(young.fork, 400) for _ in range(5))
    assert ratio < 1.5


def test_reads_stay_fast_after_a_thousand_nested_forks() -> None:
    session = opened(limits=MANY)
    step(session, write("a.txt", "a" * 1000))

    def read(one: PiSession) -> Callable[[], object]:
        return lambda: (one.world.workspace.text("a.txt"), one.world.workspace.text("shape.txt"), list(one.log))

    nested = session
    for _ in range(1_000):
        nested = nested.fork()
    assert min(seconds(read(nested), 300) / seconds(read(session), 300) for _ in range(5)) < 2.0


def test_forks_are_isolated_both_ways() -> None:
    session = opened()
    step(session, write("a.txt", "both"))
    other = session.fork()
    step(session, write("out.txt", "blue"))
    step(other, write("b.txt", "other"))
    play(session, "One.")
    play(other, "What size?")
    assert session.world.workspace.text("b.txt") is None
    assert other.world.workspace.text("out.txt") is None
    assert list(session.statuses.values()) == ["completed", "open", "provided"]
    assert list(other.statuses.values()) == ["open", "inferred", "open"]
    assert "other" not in session.history
    assert session.log is not other.log
    assert [e.kind for e in session.log].count("asked") == 0


def test_a_fork_gives_the_same_record_as_its_origin() -> None:
    session = opened()
    other = None
    for action in FINISHING:
        other = (other or session).fork()
        step(session, action)
        step(other, action)
        assert other.trajectory().to_line() == session.trajectory().to_line()
        assert other.world.state_hash() == session.world.state_hash()


def test_a_fork_of_a_finished_session_is_finished() -> None:
    session = opened()
    play(session, *FINISHING)
    assert session.fork().trajectory().to_line() == session.trajectory().to_line()


# -- pickles ---------------------------------------------------------------------------------------------------------


def reborn(session: PiSession) -> PiSession:
    copy: PiSession = pickle.loads(pickle.dumps(session))
    return copy


@pytest.mark.parametrize("history", ["none", "reference"])
@pytest.mark.parametrize("pack", [tiny(), protocol()], ids=lambda pack: pack.name)
def test_a_session_goes_on_the_same_after_a_pickle_at_any_step(pack: object, history: str) -> None:
    for task_id in pack.task_ids:  # type: ignore[attr-defined]
        task = pack.instantiate(task_id, 2)  # type: ignore[attr-defined]
        session = opened(task, history=history)
        copy = reborn(session)
        for action in task.reference:
            assert copy.world.state_hash() == session.world.state_hash()
            step(session, action)
            step(copy, action)
            copy = reborn(copy)
        assert session.ended
        assert copy.trajectory().to_line() == session.trajectory().to_line()
        assert copy.history == session.history


def test_files_that_were_moved_and_deleted_are_so_after_a_pickle() -> None:
    session = opened()
    session.world.workspace.write("dir/one.txt", b"1")
    session.world.workspace.rename("shape.txt", "dir/form.txt")
    session.world.workspace.make_folder("empty")
    session.world.workspace.delete("memory/MEMORY.md")
    copy = reborn(session)
    assert copy.world.state_hash() == session.world.state_hash()
    assert copy.evidence([]).changes == session.evidence([]).changes


def test_the_world_of_an_own_past_survives_a_pickle() -> None:
    first = opened()
    play(first, write("mine.txt", "kept"), *FINISHING)
    task = protocol().instantiate("02-beat")
    second = PiSession(task, world_after(first))
    copy = reborn(second)
    assert copy.world.workspace.text("mine.txt") == "kept"
    assert copy.world.state_hash() == second.world.state_hash()
    assert copy.messages == second.messages


def test_app_tables_go_along_as_changes_only() -> None:
    task = protocol().instantiate("01-three")
    base = {number: {"text": "row " * 50} for number in range(1, 5_000)}
    start = opened(task).opening.start.fork()
    start.put_app("mail", Database({"rows": Table(base)}))
    session = PiSession(task, start)
    size = len(pickle.dumps(session))
    table = session.world.apps["mail"].table("rows").update(7, text="new")
    session.world.put_app("mail", session.world.apps["mail"].put("rows", table))
    assert len(pickle.dumps(session)) < size + 1_000
    copy = reborn(session)
    assert copy.world.apps["mail"].table("rows").get(7) == {"text": "new"}
    assert copy.world.apps["mail"].table("rows").get(8) == base[8]


def big_pack(folder: Path) -> Path:
    copy_pack(PROTOCOL, folder)
    for place in (folder / "workspace", folder / "tasks" / "01-three" / "files"):
        place.mkdir(exist_ok=True)
        (place / f"big-{place.name}.txt").write_text("0123456789abcde\n" * 65_536)
    return folder


@pytest.mark.parametrize("history", ["none", "reference"])
def test_a_pickle_holds_references_to_large_files(tmp_path: Path, history: str) -> None:
    pack = load_pack(big_pack(tmp_path / "big"))
    session = opened(pack.instantiate("04-last" if history == "reference" else "01-three", 1), history=history)
    assert len(session.world.workspace.read("big-workspace.txt") or b"") == 1_048_576
    step(session, write("out.txt", "blue"))
    data = pickle.dumps(session)
    assert len(data) < 100_000
    copy = pickle.loads(data)
    assert copy.world.state_hash() == session.world.state_hash()


CHILD = "import pickle, sys; s = pickle.load(open(sys.argv[1], 'rb')); print(s.world.state_hash())"


def elsewhere(data: Path) -> subprocess.CompletedProcess[str]:
    """Unpickle in a fresh process, which has read no pack yet."""
    return subprocess.run([sys.executable, "-c", CHILD, str(data)], capture_output=True, text=True, cwd=Path.cwd())


def test_another_process_takes_over_unless_the_pack_has_changed(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    session = opened(load_pack(folder).instantiate("02-memo", 5), history="reference")
    step(session, write("memo.txt", "started"))
    data = tmp_path / "session.pickle"
    data.write_bytes(pickle.dumps(session))
    assert elsewhere(data).stdout.strip() == session.world.state_hash()
    with (folder / "workspace" / "shop.txt").open("a") as file:
        file.write("Closed on Mondays.\n")
    failed = elsewhere(data)
    assert failed.returncode != 0
    assert "StateMismatch" in failed.stderr
