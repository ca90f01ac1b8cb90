"""The outcome of a calibration: agreement by kind of decision, what is unscored, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pi_gym.calibration.trials import DecisionPair
from pi_gym.models.usage import Usage
from pi_gym.runs.confusion import Confusion

_WHO = ("rules", "model")


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The outcome of one trial.

    Args:
        id: of the trial; `origin` where its work comes from.
        pairs: the decisions; none where it is unscored.
        error: why it is unscored; "" where it is not.
        error_kind: whose failure that is: "model" or "engine".
        duration_s: by the wall clock.
    """

    id: str
    origin: str
    pairs: tuple[DecisionPair, ...] = ()
    error: str = ""
    error_kind: str = ""
    duration_s: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON object; reasons and words are told of what differs."""
        kept = [
            asdict(one)
            if one.rules != one.model or one.meant not in ("", one.model)
            else {name: getattr(one, name) for name in ("kind", "role", "name", "rules", "model", "meant")}
            for one in self.pairs
        ]
        return {**asdict(self), "pairs": kept}


@dataclass(frozen=True, slots=True)
class Calibration:
    """The outcome of a calibration.

    Args:
        env_id: the environment.
        models: by role, the model and its sampling.
        settings: what was asked for: worlds, how many trials, the seed.
        trials: in the order in which they were made.
        usage: by role, what was asked of served models.
        elapsed_s: by the wall clock.
    """

    env_id: str
    models: Mapping[str, Mapping[str, Any]]
    settings: Mapping[str, Any]
    trials: tuple[TrialOutcome, ...]
    usage: Mapping[str, Usage]
    elapsed_s: float

    @property
    def scored(self) -> tuple[TrialOutcome, ...]:
        """The trials in which models decided."""
        return tuple(one for one in self.trials if not one.error)

    @property
    def unscored(self) -> tuple[TrialOutcome, ...]:
        """The trials that are in no figure, for a model gave no answer, or something of ours failed."""
        return tuple(one for one in self.trials if one.error)

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of decisions, each with its role, in the order in which they came."""
        return tuple(dict.fromkeys((pair.kind, pair.role) for one in self.scored for pair in one.pairs))

    def confusion(self, kind: str, origin: str | None = None) -> Confusion:
        """The table of what the rules and the model decided, for a kind of decision.

        Args:
            kind: of decision.
            origin: of the trials; None: all.
        """
        return Confusion.of(
            [(pair.rules, pair.model) for pair in one.pairs if pair.kind == kind]
            for one in self.scored
            if origin in (None, one.origin)
        )

    def as_meant(self, kind: str, origin: str | None = None) -> tuple[Confusion, Confusion]:
        """The tables of what writers meant and the rules decided, and of what they meant and the model did.

        Args:
            kind: of decision; the tables are empty where no writer said what is meant.
            origin: of the trials; None: all.
        """
        pairs = [
            [pair for pair in one.pairs if pair.kind == kind and pair.meant]
            for one in self.scored
            if origin in (None, one.origin)
        ]
        rules, model = ([[(pair.meant, getattr(pair, who)) for pair in some] for some in pairs] for who in _WHO)
        return Confusion.of(rules), Confusion.of(model)

    def origins(self, kind: str) -> tuple[str, ...]:
        """The origins of the trials that have decisions of a kind."""
        return tuple(dict.fromkeys(one.origin for one in self.scored if any(pair.kind == kind for pair in one.pairs)))

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON object."""
        return {
            "env_id": self.env_id,
            "models": {role: dict(found) for role, found in self.models.items()},
            "settings": dict(self.settings),
            "trials": len(self.trials),
            "scored": len(self.scored),
            "unscored": {
                "count": len(self.unscored),
                "kinds": dict(Counter(one.error_kind for one in self.unscored)),
                "trials": [{"id": one.id, "kind": one.error_kind, "error": one.error} for one in self.unscored],
            },
            "agreement": {
                kind: {
                    "role": role,
                    **self.confusion(kind).to_json(),
                    "by_origin": {origin: self.confusion(kind, origin).to_json() for origin in self.origins(kind)},
                }
                for kind, role in self.kinds
            },
            "as_meant": {
                kind: dict(zip(_WHO, (one.to_json() for one in self.as_meant(kind)), strict=True))
                | {
                    "by_origin": {
                        origin: dict(zip(_WHO, (one.to_json() for one in self.as_meant(kind, origin)), strict=True))
                        for origin in self.origins(kind)
                    }
                }
                for kind, _ in self.kinds
                if self.as_meant(kind)[0].judged
            },
            "usage": {role: {**one.to_json(), "s_per_request": per_request_s(one)} for role, one in self.usage.items()},
            "elapsed_s": round(self.elapsed_s, 3),
            "outcomes": [one.to_json() for one in self.trials],
        }


def per_request_s(usage: Usage) -> float | None:
    """The seconds of a request, on average; None where none was sent."""
    return usage.request_s / usage.requests if usage.requests else None
