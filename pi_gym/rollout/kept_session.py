"""A session that is kept in a folder between calls: opened once, played an action a call, whatever is killed.

The folder holds the settings and the actions with the answers that tools got from outside, and nothing hidden: a
session is made again by taking its actions again, and no command runs twice. The outcome, and what models of ours
answered, go to the run's folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import time
from typing import Any

from pi_gym.env import SessionEnv
from pi_gym.environments import base_env, make_env
from pi_gym.errors import BadArgument, StateMismatch
from pi_gym.rollout.shared_run import SharedRun
from pi_gym.runs.lines import LineFile, RunError, cut_torn_tail, explained
from pi_gym.runs.store import lock_folder, write_json
from pi_gym.session.answerers import Answerers, Responder
from pi_gym.session.protocol import Session
from pi_gym.templates import prompt_hash
from pi_gym.types import Answer, Ask

SETTINGS, STEPS, LOCK, PLAYING = "session.json", "steps.jsonl", "session.lock", "playing"
#: The number of the opening among the steps.
OPENING = 0


class KeptSession:
    """A session in a folder, locked for as long as it is open.

    Args:
        folder: where `begin` has put one.

    Attributes:
        observation: the last one; `info` that of the same step.
        messages: all since the opening, the agent's own too, and `tools` the schemas of the tools, in OpenAI's format.

    Raises:
        RunError: there is no session, or the outcome cannot be written.
        FolderBusy: another process plays it.
        StateMismatch: it does not come out as it was played: pack or engine are others now.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / SETTINGS).is_file():
            raise RunError(f"{folder} holds no session; begin one with an environment's id and --out")
        self._folder = folder
        self._lock = lock_folder(folder, LOCK, "playing this session")
        try:
            self._settings: dict[str, Any] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
            self._out = Path(self._settings["out"])
            self._env = make_env(self._settings["env_id"], self._settings["env_kwargs"])
            try:
                self._replay()
            except BaseException:
                self._env.close()
                raise
        except BaseException:
            os.close(self._lock)
            raise

    @classmethod
    def begin(
        cls,
        folder: Path,
        env_id: str,
        env_kwargs: Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        seed: int,
        agent: str,
        out: Path,
    ) -> KeptSession:
        """Open a session and keep it.

        Args:
            folder: is made; must hold nothing else.
            env_id: the environment.
            env_kwargs: its arguments.
            options: of the reset.
            seed: likewise.
            agent: who plays, for the record.
            out: the run's folder, to which the outcome goes.

        Raises:
            BadArgument: one of the folders lies in the other: whoever plays reads `folder`.
            RunError: `folder` holds something, or `out` another run, or this session.
        """
        here, there = folder.resolve(), out.resolve()
        if here == there or here in there.parents or there in here.parents:
            raise BadArgument(f"expected two folders, neither in the other, got {folder} and {out}")
        with explained(folder, "cannot be written"):
            folder.mkdir(parents=True, exist_ok=True)
            lock = lock_folder(folder, LOCK, "playing this session")
            try:
                if others := {entry.name for entry in folder.iterdir()} - {LOCK, f"{SETTINGS}.tmp"}:
                    raise RunError(
                        f"{folder} holds {', '.join(sorted(others)[:3])}; go on without ENV_ID, or name another"
                    )
                env = make_env(env_id, env_kwargs)
                try:
                    base = base_env(env)
                    # The opening may ask models, whose answers are kept once the session is.
                    base.begin_reset(seed=seed, options=dict(options))
                    assert base.session is not None
                    _shared_run(out, base, agent, env_kwargs).require_new(base.session)
                    packs = {pack.name: pack.content_hash for pack in base.packs}
                finally:
                    env.close()
                settings = {"env_id": env_id, "env_kwargs": dict(env_kwargs), "options": dict(options), "seed": seed}
                kept = {"agent": agent, "out": str(there), "token": secrets.token_hex(8), "begun": time()}
                write_json(folder / SETTINGS, {**settings, **kept, "packs": packs, "prompts": prompt_hash()})
            finally:
                os.close(lock)
        return cls(folder)

    @property
    def session(self) -> Session:
        """The session itself."""
        found = base_env(self._env).session
        assert found is not None
        return found

    def act(self, action: str | dict[str, Any]) -> None:
        """Take an action; it counts once it is written, and a process that is killed before has not taken it.

        Raises:
            RunError: the session is over.
        """
        if self.session.ended:
            raise RunError("the session is over; it takes no further action")
        self._live = True
        self._given.clear()
        self._step(action)
        number = len(self._steps) + 1
        shown = [one for kind, one in self._given if kind != "model"]
        self._keep_hidden(number)
        with explained(self._folder, "cannot be written"):
            _append(self._folder / STEPS, {"action": action, "answers": shown, "messages": self._seen()})
        self._finish()

    def close(self) -> None:
        """Let go of the folder."""
        base_env(self._env).answerers = self._answerers
        self._env.close()
        os.close(self._lock)

    @property
    def _hidden(self) -> Path:
        return self._out / PLAYING / f"{self._settings['token']}.jsonl"

    def _replay(self) -> None:
        base, settings = base_env(self._env), self._settings
        packs = {pack.name: pack.content_hash for pack in base.packs}
        if (packs, prompt_hash()) != (settings["packs"], settings["prompts"]):
            raise StateMismatch(f"{self._folder}: the pack or the prompts have changed since the session was begun")
        self._answerers, old = base.answerers, base.answerers
        self._given: list[tuple[str, dict[str, Any]]] = []
        self._steps, hidden = (
            _lines(self._folder / STEPS),
            {line["step"]: line["answers"] for line in _lines(self._hidden)},
        )
        self._known = {one["id"]: Answer.from_json(one) for one in hidden.get(OPENING, ())}
        # Without a step a session whose opening asked nothing yet is the one that was just begun.
        self._live = not (self._steps or self._known)
        base.answerers = Answerers(*map(self._kept, (old.shell, old.web, old.policy, old.other)))
        self.observation, self.info = self._env.reset(seed=settings["seed"], options=settings["options"])
        self.tools, self.messages = self.info["tools"], list(self.info["new_messages"])
        if self._live:
            self._keep_hidden(OPENING)
        self._live = False
        for number, step in enumerate(self._steps, start=1):
            answers = [*step["answers"], *hidden.get(number, ())]
            self._known = {one["id"]: Answer.from_json(one) for one in answers}
            self._step(step["action"])
            if self._seen() != step["messages"]:
                raise StateMismatch(f"{self._folder}: step {number} does not come out as it was played")
        self._finish()

    def _keep_hidden(self, number: int) -> None:
        """Keep what models of ours answered in a step, or in the opening, where whoever plays cannot read it."""
        hidden = [one for kind, one in self._given if kind == "model"]
        if hidden:
            with explained(self._out, "cannot be written"):
                self._hidden.parent.mkdir(parents=True, exist_ok=True)
                _append(self._hidden, {"step": number, "answers": hidden})

    def _step(self, action: Any) -> None:
        self.observation, _, _, _, self.info = self._env.step(action)
        self.messages += self.info["new_messages"]

    def _seen(self) -> str:
        return hashlib.sha256(json.dumps(self.info["new_messages"]).encode()).hexdigest()

    def _kept(self, answerer: Responder | None) -> Responder | None:
        return None if answerer is None else lambda asks: self._answers(asks, answerer)

    def _answers(self, asks: Sequence[Ask], answerer: Responder) -> Sequence[Answer]:
        if not self._live:
            if lost := next((ask.id for ask in asks if ask.id not in self._known), None):
                raise StateMismatch(
                    f"{self._folder}: the answer to {lost} is not kept; the session cannot be made again"
                )
            return [self._known[ask.id] for ask in asks]
        answers = answerer(asks)
        self._given += [(ask.kind, {"id": ask.id, **one.to_json()}) for ask, one in zip(asks, answers, strict=True)]
        return answers

    def _finish(self) -> None:
        """Write the outcome of a session that is over, unless it is there."""
        if not self.session.ended:
            return
        agent = self._settings["agent"]
        run = _shared_run(self._out, base_env(self._env), agent, self._settings["env_kwargs"])
        run.add(self.session.trajectory(agent=agent), time() - self._settings["begun"])
        self._hidden.unlink(missing_ok=True)


def _shared_run(out: Path, env: SessionEnv, agent: str, env_kwargs: Mapping[str, Any]) -> SharedRun:
    return SharedRun(out, env, agent, env_kwargs, source="pi-gym play")


def _append(path: Path, value: Mapping[str, Any]) -> None:
    file = LineFile(path)
    try:
        file.append(json.dumps(value))
        file.sync()
    finally:
        file.close()


def _lines(path: Path) -> list[dict[str, Any]]:
    cut_torn_tail(path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
