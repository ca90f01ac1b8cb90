"""The judges of recorded PiBench sessions: the user for the intents, the grader for the checklist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pi_gym.catalogue import TaskName, TaskSet
from pi_gym.errors import StateMismatch
from pi_gym.graders.base import Grader
from pi_gym.graders.model import ModelGrader
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.config import ModelConfig
from pi_gym.models.roles import model_of
from pi_gym.packs import Pack
from pi_gym.pibench.episode import Pasts
from pi_gym.pibench.playback import Playback, play_back
from pi_gym.pibench.rejudging import judges_of, rejudge
from pi_gym.pibench.role_check import require_roles
from pi_gym.rejudging.rescoring import Rejudgement
from pi_gym.rewards import RewardConfig
from pi_gym.session.answerers import Responder
from pi_gym.session.trajectory import SessionKey, Trajectory, failed_fields
from pi_gym.users.base import User
from pi_gym.users.model import ModelUser
from pi_gym.users.rule import RuleUser


@dataclass(frozen=True)
class PiJudges:
    """The judges of a re-scoring.

    Args:
        user: judges the intents.
        grader: judges the checklist.
        models: by role, the language model that plays it and its sampling, as records keep it.
        model: answers what the two ask, see `pi_gym.rejudging.rescoring.Judges`.
    """

    user: User
    grader: Grader
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    model: Responder | None = None

    @classmethod
    def of(cls, roles: Mapping[str, str | ModelConfig], *, all_items: bool = False, **options: Any) -> PiJudges:
        """The judges that roles name.

        Args:
            roles: by "user" and "grader": "rule", "MODEL@URL" or a `ModelConfig`.
            all_items: the grader's model judges items that rules could judge, too.
            options: of the models, over what a config says.
        """
        found = {role: model_of(role, value) for role, value in roles.items()}
        models = {role: config.with_options(**options) for role, config in found.items() if config is not None}
        return cls(
            ModelUser() if "user" in models else RuleUser(),
            ModelGrader(all_items=all_items) if "grader" in models else RuleGrader(),
            {role: config.recorded() for role, config in models.items()},
            ModelAnswerer(models) if models else None,
        )

    def to_json(self) -> dict[str, Any]:
        """The judges, as run.json keeps them."""
        roles = (("user", self.user.name), ("grader", self.grader.name))
        return {role: {"name": name, **self.models.get(role, {})} for role, name in roles}

    def label(self, role: str) -> str:
        """The name of a role's judge: the model, or what else it is."""
        found = self.to_json()[role]
        return str(found.get("model", found["name"]))

    def require(self, packs: Mapping[str, TaskSet], tasks: Iterable[TaskName]) -> None:
        """Raise RolesNeeded where a rule-based judge would have to judge a task without predicates."""
        for name, task_id in tasks:
            pack = cast(Pack, packs[name])
            if not pack.has_rules:
                require_roles(pack.instantiate(task_id), self.user, self.grader, RewardConfig())

    def play_back(
        self, records: Iterable[Trajectory], packs: Mapping[str, TaskSet], judged: Collection[SessionKey]
    ) -> Iterator[tuple[Trajectory, Playback | Exception]]:
        """The records that are not judged yet, played again, or why that failed."""
        pasts = Pasts()
        for record in records:
            if record.key in judged and record.history_mode != "own":
                continue  # no other session rests on it
            pack = cast(Pack, packs[record.pack])
            found: Playback | Exception
            try:
                found = play_back(record, pack=pack, start=pasts.before(record, pack))
            except StateMismatch:
                raise
            except Exception as error:  # one record that cannot be played leaves the others alone
                found = error
            pasts.keep(record, found.session if isinstance(found, Playback) else None)
            if record.key not in judged:
                yield record, found

    def judge(self, record: Trajectory, played: Any) -> Rejudgement:
        """Judge a session that was played back; see `pi_gym.pibench.rejudging`."""
        return rejudge(record, played, self.user, self.grader, self.models)

    def failed(self, record: Trajectory, error: str, kind: str) -> Trajectory:
        """The record of a judgement that failed: nothing of it counts."""
        judges = judges_of(record, self.user, self.grader, self.models)
        return replace(record, **judges, **failed_fields(error, kind))
