"""Sessions of tasks in the official layout: roles that are needed, scripts that judge, records that replay."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from support import shell as sandbox
from support.official import (
    GARDENER,
    ScriptedGrader,
    ScriptedUser,
    answering,
    gardener,
    official_copy,
    opened_official,
    passive,
)
from support.play import call, play, settle, step, write

from pi_gym.errors import RolesNeeded
from pi_gym.graders.rule_scripts import FOLDER, tools_history
from pi_gym.packs import Pack, load_pack
from pi_gym.packs.official.program import judge
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.rewards import RewardConfig
from pi_gym.session import Trajectory
from pi_gym.shell import ShellLimits, ShellRunner
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Answer, Ask, CallRecord
from pi_gym.users.rule import RuleUser

LOGIN = call("todoist__login", username="tram-depot@gmail.com", password="Tu(r,n3[")


def said(result: object, **rest: Any) -> Callable[[Ask], Answer]:
    """A shell that finds this as the script's result."""
    files = {} if result is None else {f"{FOLDER}/out.json": json.dumps(result).encode()}
    return lambda ask: Answer(ShellResult(files=files, **rest).to_json())


def to_the_end(session: PiSession, *actions: object, model: Any = None, shell: Any = None) -> PiSession:
    """Play the actions, then say something until nothing is open any more."""
    answer = answering(model or passive, shell)
    play(session, *actions, model=answer)
    while not session.ended:
        step(session, "Done.", answer)
    return session


# -- roles -----------------------------------------------------------------------------------------------------------


def test_rule_roles_are_refused_with_what_to_pass() -> None:
    env = gym.make("PiBench-Researcher-v0", pack=GARDENER)
    with pytest.raises(RolesNeeded, match=r"task 'gardener_task_\d+'.*rule-based user.*user=pi_gym\.ModelConfig"):
        env.reset(seed=0)


def test_a_rule_grader_is_enough_where_a_script_judges_everything() -> None:
    PiSession(gardener().instantiate("gardener_task_003"), user=ScriptedUser())
    with pytest.raises(RolesNeeded, match="the rule-based grader cannot"):
        PiSession(gardener().instantiate("gardener_task_002"), user=ScriptedUser())
    with pytest.raises(RolesNeeded, match="the rule-based user and grader cannot"):
        PiSession(gardener().instantiate("gardener_task_002"), user=RuleUser())


def test_a_reward_for_what_still_holds_is_refused() -> None:
    with pytest.raises(RolesNeeded, match="pay_held_only"):
        opened_official(gardener(), "gardener_task_001", reward=RewardConfig(pay_held_only=True))


def test_a_past_of_references_is_refused() -> None:
    env = gym.make(
        "PiBench-Researcher-v0", pack=GARDENER, history="reference", user=ScriptedUser(), grader=ScriptedGrader()
    )
    with pytest.raises(RolesNeeded, match="use history='own'"):
        env.reset(seed=0)


# -- a session -------------------------------------------------------------------------------------------------------


def test_the_models_decide_and_nothing_else_is_evaluated() -> None:
    def model(ask: Ask) -> object:
        return {"satisfied": ["i1"], "asked": ["i3"], "message": "With initials."}.get(ask.stage, {"c1": True})

    session = to_the_end(opened_official(gardener(), "gardener_task_002"), model=model)
    # i1 at once and i3 asked for; the next turn nothing new is satisfied and i2 has to be said.
    assert session.statuses == {"i1": "completed", "i2": "provided", "i3": "inferred"}
    assert session.proc == pytest.approx(2 / 3)
    assert session.held == ()


def test_items_weigh_as_the_task_says() -> None:
    session = to_the_end(opened_official(gardener(), "gardener_task_002"))
    assert [verdict.verdict for verdict in session.verdicts] == ["passed", "failed", "failed"]
    assert session.comp == pytest.approx(3 / 5)


def test_a_task_without_items_has_no_comp_and_asks_no_grader() -> None:
    session = to_the_end(opened_official(gardener(), "gardener_task_001"))
    assert (session.scored, session.proc, session.comp) == (True, 0.0, None)
    assert not [event for event in session.log if event.kind == "ask" and event.data["role"] == "grader"]


def test_the_agents_own_past_carries_over_from_task_to_task() -> None:
    env = gym.make(
        "PiBench-Researcher-v0",
        pack=GARDENER,
        history="own",
        user=ScriptedUser(),
        grader=ScriptedGrader(),
        responder=answering(),
    )
    env.reset(seed=0)
    env.step(write("labels.md", "Allium sativum\n"))
    _, info = env.reset()
    assert info["task_id"] == "gardener_task_002"
    workspace = env.unwrapped.session.world.workspace  # type: ignore[attr-defined]
    assert workspace.text("labels.md") == "Allium sativum\n"
    assert "Please make me labels" in workspace.text("memory/HISTORY.md")


# -- rule scripts ----------------------------------------------------------------------------------------------------


def test_a_missing_script_leaves_its_items_unknown_and_comp_null() -> None:
    session = to_the_end(opened_official(gardener(), "gardener_task_004"))
    assert session.scored
    assert session.proc == 0.0
    assert session.comp is None
    assert [(v.id, v.verdict) for v in session.verdicts] == [("c1", "passed"), ("c2", "unknown")]
    assert "gardener_task_004_gmail.py is not in this copy" in session.verdicts[1].reason
    assert session.trajectory().labels["checklist"][1]["verdict"] == "unknown"


def test_a_script_judges_all_calls_of_the_session_in_the_official_form() -> None:
    sandbox.need()
    calls = [LOGIN, call("todoist__create_task", project_id=0, title="Turn the compost")]
    session = to_the_end(
        opened_official(gardener(), "gardener_task_003"), *calls, shell=lambda ask: ShellRunner()([ask])[0]
    )
    assert session.error == ""
    assert {item.name: verdict.verdict for item, verdict in zip(session.checklist, session.verdicts, strict=True)} == {
        "two_tasks": "failed",
        "says_compost": "passed",
        "nothing_sent": "passed",
    }
    assert [verdict.id for verdict in session.verdicts] == ["c1.1", "c1.2", "c1.3"]
    assert session.comp == pytest.approx(2 / 3)


def test_an_environment_runs_the_script_by_itself() -> None:
    sandbox.need()
    model = answering()
    env = gym.make(
        "PiBench-Researcher-v0", pack=GARDENER, user=ScriptedUser(), grader=ScriptedGrader(), responder=model
    )
    env.reset(seed=0, options={"task": "gardener_task_003"})
    ended = False
    for action in (LOGIN, call("todoist__create_task", project_id=0, title="Turn the compost"), "Done.", "Done."):
        assert not ended
        _, reward, ended, truncated, info = env.step(action)
    assert (ended, truncated, info["scored"]) == (True, False, True)
    assert info["comp"] == pytest.approx(2 / 3)
    assert reward == pytest.approx(0.5 * 2 / 3)


def scripted(folder: Path, source: str, wall_s: float = 30.0) -> PiSession:
    """A session at its end whose script this is; the agent has written plan.md."""
    copy = Path(shutil.copytree(GARDENER, folder / "gardener"))
    (copy / "scripts" / "gardener_task_003_todoist.py").write_text(source)
    session = opened_official(load_pack(copy), "gardener_task_003")
    limits = ShellLimits(wall_s=wall_s)
    return to_the_end(session, write("plan.md", "x"), shell=lambda ask: ShellRunner(limits=limits)([ask])[0])


BACK = ".rule_script/out.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("while True: pass", "ran longer"),
        ("import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()\n"
         "def score(h): return {'a': 1}", "ran longer"),
        ("import os\ndef score(h): os._exit(0)", "status 0"),
        ("def score(h): return {'a': 0} if not h else {'a': bytearray(10**11)}", "status 1: MemoryError"),
        (f"import os\ndef score(h):\n    open('{BACK}', 'w').write('[' * 100000); os._exit(0)", "recursion"),
        (f"import os\ndef score(h):\n    open('{BACK}', 'w').write('{{\"items\": 5}}'); os._exit(0)", "items"),
        ("def score(h):\n    for i in range(9): open(f'f{i}', 'wb').write(bytes(10**6))\n    return {'a': 1}", "bytes"),
    ],
    ids=["loops", "waits", "leaves", "eats", "nests", "forges", "writes"],
)  # fmt: skip
def test_a_script_without_a_result_leaves_the_session_unscored(tmp_path: Path, source: str, told: str) -> None:
    sandbox.need()
    session = scripted(tmp_path, source, wall_s=1.0 if told == "ran longer" else 30.0)
    assert (session.scored, session.proc, session.comp, session.error_kind) == (False, None, None, "shell")
    assert "gave no result" in session.error
    assert told in session.error


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.request as r\ndef score(h): return {'a': 1} if not h else r.urlopen('http://192.0.2.1')",
        "import urllib.request as r\ndef score(h): return {'a': 1} if not h else r.urlopen('http://a.example')",
        "import socket\ndef score(h): return {'a': 1} if not h else socket.create_connection(('127.0.0.1', 9))",
        "def score(h): return {'a': 1} if not h else open('big', 'wb').write(bytes(100_000_000))",
    ],
    ids=["address", "name", "socket", "disk"],
)
def test_what_the_sandbox_lacks_is_no_failure_of_the_agents(tmp_path: Path, source: str) -> None:
    sandbox.need()
    session = scripted(tmp_path, source)
    assert (session.error, session.scored, session.comp) == ("", True, None)
    assert [verdict.verdict for verdict in session.verdicts] == ["unknown"]
    assert "the script cannot be used" in session.verdicts[0].reason


def test_a_script_sees_the_workspace_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.need()
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    (tmp_path / "near").write_text("x")
    session = scripted(
        tmp_path,
        "import os, socket\nfrom pathlib import Path\n\n\n"
        "def can(act):\n    try:\n        act()\n    except (OSError, ImportError):\n        return False\n"
        "    return True\n\n\n"
        "def score(tools_history):\n"
        "    print('x' * 100000)\n"
        "    Path('plan.md').write_text(Path('plan.md').read_text() + ' and more') if tools_history else None\n"
        "    return {\n"
        "        'reads the workspace': can(lambda: Path('plan.md').read_text()) or not tools_history,\n"
        "        'no key': 'sk-secret' not in ''.join(os.environ.values()),\n"
        "        'no pi_gym': not can(lambda: __import__('pi_gym')),\n"
        "        'no yaml': not can(lambda: __import__('yaml')),\n"
        f"        'no host': not can(lambda: Path({str(tmp_path / 'near')!r}).read_text()),\n"
        "        'no shadow': not can(lambda: Path('/etc/shadow').read_text()),\n"
        "        'no network': not can(lambda: socket.create_connection(('127.0.0.1', 9), 1)),\n"
        "    }\n",
    )
    assert session.error == ""
    failed = [i.name for i, v in zip(session.checklist, session.verdicts, strict=True) if v.verdict != "passed"]
    assert failed == []
    assert session.world.workspace.text("plan.md") == "x"


def test_a_file_of_the_agents_is_not_imported_by_a_script(tmp_path: Path) -> None:
    sandbox.need()
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    (copy / "scripts" / "gardener_task_003_todoist.py").write_text(
        "import json\nimport os\n\n\ndef score(tools_history):\n"
        "    return {'sees_files': os.path.exists('plan.md'), 'own_module': not hasattr(json, 'forged')}\n"
    )
    forged = [write(name, "forged = True\ndef loads(text): return {}\n") for name in ("json.py", f"{FOLDER}/json.py")]
    session = to_the_end(
        opened_official(load_pack(copy), "gardener_task_003"),
        write("plan.md", "x"),
        *forged,
        shell=lambda ask: ShellRunner()([ask])[0],
    )
    assert session.comp == 1.0, session.verdicts


def test_what_a_script_says_is_recorded_and_replayed() -> None:
    session = to_the_end(
        opened_official(gardener(), "gardener_task_003"), shell=said({"items": ["a", "b"], "passed": ["b"]})
    )
    assert session.comp == 0.5
    line = session.trajectory().to_line()
    record = Trajectory.from_json(json.loads(line))
    again = replay(record, pack=gardener(), user=ScriptedUser(), grader=ScriptedGrader())
    assert again.trajectory().to_line() == line


def test_a_session_that_waits_for_its_script_survives_a_pickle() -> None:
    session = opened_official(gardener(), "gardener_task_003")
    answer = answering()
    step(session, write("notes.md", "x"), answer)
    step(session, "Hm.", answer)
    session.apply("Done.")
    session = pickle.loads(pickle.dumps(session))
    (ask,) = session.pending
    assert (ask.kind, ask.role, ask.stage) == ("shell", "grader", "grade")
    assert ask.request.payload["workspace"].text("notes.md") == "x"
    settle(session, answering(shell=said({"items": ["a"], "passed": ["a"]})))
    assert pickle.loads(pickle.dumps(session)).comp == 1.0


@pytest.mark.parametrize(
    ("result", "verdict", "reason"),
    [
        ({"broken": "ImportError: no yaml"}, "unknown", "cannot be used: ImportError"),
        ({"items": ["a"], "raised": "KeyError: 'x'"}, "failed", "raised KeyError"),
        ({"items": ["a"], "passed": [], "odd": {"a": "got nan"}}, "unknown", "value: got nan"),
    ],
)
def test_a_script_that_fails_is_no_failure_of_ours(result: object, verdict: str, reason: str) -> None:
    session = to_the_end(opened_official(gardener(), "gardener_task_003"), shell=said(result))
    assert session.scored
    (found,) = session.verdicts
    assert found.verdict == verdict
    assert reason in found.reason
    assert session.comp == (0.0 if verdict == "failed" else None)


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"unavailable": "no sandbox works"}),
        Answer(error="the sandbox does not start"),
        said(None, ended="timeout")(None),  # type: ignore[arg-type]
        said(None, exit=1, output="Killed")(None),  # type: ignore[arg-type]
        said(["nonsense"])(None),  # type: ignore[arg-type]
        said({"items": ["a"], "passed": ["a"]}, ended="timeout")(None),  # type: ignore[arg-type]
        said({"items": ["a", "a"], "passed": []})(None),  # type: ignore[arg-type]
        said({"items": [], "passed": []})(None),  # type: ignore[arg-type]
        said({"items": ["a"], "passed": ["b"]})(None),  # type: ignore[arg-type]
        said({"items": ["a"], "passed": "a"})(None),  # type: ignore[arg-type]
        Answer("nonsense"),
    ],
)
def test_a_sandbox_that_fails_leaves_the_session_unscored(answer: Answer) -> None:
    session = to_the_end(opened_official(gardener(), "gardener_task_003"), shell=lambda ask: answer)
    assert (session.scored, session.proc, session.comp) == (False, None, None)
    assert session.error_kind == "shell"
    assert session.error.startswith("grader (grade): ")


def test_calls_become_the_official_history() -> None:
    calls = [
        CallRecord("todoist__create_task", {"title": "x"}, '{"task_id": 7}', True, 1),
        CallRecord("todoist__create_task", {}, "title is missing", False, 1),
        CallRecord("read_file", {"path": "a"}, "plain text", True, 2),
    ]
    assert tools_history(calls) == [
        {
            "tool_name": "mcp_appworld_todoist__create_task",
            "call": {"title": "x"},
            "result": {"response": {"task_id": 7}},
        },
        {
            "tool_name": "mcp_appworld_todoist__create_task",
            "call": {},
            "result": {"response": {"message": "title is missing"}},
        },
        {"tool_name": "read_file", "call": {"path": "a"}, "result": "plain text"},
    ]


ODD = {"items": ["a"], "passed": []}
ODD_FILE = {"items": ["a"], "raised": "FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.md'"}
KEYS = "score([]): expected texts of up to 500 characters as keys"
MANY = "score([]) names 2000 items; at most 1000 are possible"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def score(h): return {'a': 1, 'b': False, 'c': len(h)}", {"items": ["a", "b", "c"], "passed": ["a", "c"]}),
        ("def score(h): return {'a': 0} if not h else {'x': 1}", {"items": ["a"], "passed": []}),
        ("def score(h): return {'a': h[0]['no']} if h else {'a': 0}", {"items": ["a"], "raised": "KeyError: 'no'"}),
        ("def score(h): return {}", {"broken": "score([]) names no items"}),
        ("import no_such_module", {"broken": "ModuleNotFoundError: No module named 'no_such_module'"}),
        ("def score(h): return {'a': 2, 'b': 1.0, 'c': -1}", {"items": ["a", "b", "c"], "passed": ["a", "b"]}),
        (
            "def score(h): return {'a': float('nan'), 'b': True}",
            {"items": ["a", "b"], "passed": ["b"], "odd": {"a": "expected a whole number or a bool, got nan"}},
        ),
        ("def score(h): return {'a': 0.5}", ODD | {"odd": {"a": "expected a whole number or a bool, got 0.5"}}),
        ("def score(h): return {'a': '1'}", ODD | {"odd": {"a": "expected a whole number or a bool, got '1'"}}),
        ("def score(h): return {'a': [1]}", ODD | {"odd": {"a": "expected a whole number or a bool, got [1]"}}),
        ("def score(h): return ['a']", {"broken": "score([]) gave no dict, but ['a']"}),
        ("def score(h): return None if h else {'a': 0}", {"broken": "score(this history) gave no dict, but None"}),
        ("def score(h): return {1: 1}", {"broken": f"{KEYS}, got 1"}),
        ("def score(h): return {' ': 1}", {"broken": f"{KEYS}, got ' '"}),
        ("def score(h): return {str(n): 1 for n in range(2000)}", {"broken": MANY}),
        ("def score(h): return {'a': 1} if not h else open('nowhere.md').read()", ODD_FILE),
        (
            "def score(h): return {'a': 1} if not h else __import__('no_such')",
            {"broken": "ModuleNotFoundError: No module named 'no_such'"},
        ),
        (
            "def score(h):\n    if h: raise OSError(28, 'no room')\n    return {'a': 1}",
            {"broken": "OSError: [Errno 28] no room"},
        ),
        ("import sys\ndef score(h): sys.exit(0)", {"broken": "SystemExit: 0"}),
        ("import sys\ndef score(h): return {'a': 1} if not h else sys.exit(1)", {"broken": "SystemExit: 1"}),
        ("x = 1", {"broken": "AttributeError: module 'rule_script' has no attribute 'score'"}),
    ],
)
def test_the_program_of_the_sandbox_keeps_the_scripts_contract(tmp_path: Path, source: str, found: object) -> None:
    script = tmp_path / "script.py"
    script.write_text(source)
    assert judge(str(script), [{"tool_name": "t", "call": {}, "result": ""}]) == found


# -- a real copy -----------------------------------------------------------------------------------------------------


def real() -> Pack:
    return load_pack(official_copy())


def test_a_session_of_every_task_of_a_real_copy_runs_to_its_end() -> None:
    pack = real()
    for name in pack.task_ids:
        session = to_the_end(opened_official(pack, name))
        assert session.scored, session.error
        assert session.proc == 0.0
        unknown = [verdict for verdict in session.verdicts if verdict.verdict == "unknown"]
        assert (session.comp is None) == (bool(unknown) or not session.task.checklist)
