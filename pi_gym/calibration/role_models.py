"""The models that are calibrated: who plays which role, whether they can be reached, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from pi_gym.errors import BadArgument, PiGymError, UnknownName, unknown
from pi_gym.family import Family
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.config import ModelConfig
from pi_gym.models.roles import model_of
from pi_gym.models.usage import Usage
from pi_gym.session.answerers import Responder
from pi_gym.types import Answer, Ask, ModelRequest

#: Who plays a role: "rule", "MODEL@URL", a `ModelConfig`, or a function of asks.
RolePlayer: TypeAlias = "str | ModelConfig | Responder"
_SCHEMA = {
    "type": "object",
    "properties": {"decision": {"type": "string", "enum": ["YES", "NO"]}},
    "required": ["decision"],
    "additionalProperties": False,
}
_PROBE = ModelRequest(({"role": "user", "content": "Is 2 an even number? Answer as JSON."},), _SCHEMA, "probe")


class ModelAway(PiGymError):
    """The error that a model's server cannot be reached, or refuses what roles ask; the message says which and why."""


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of the roles that are calibrated.

    Args:
        configs: the served ones, by role.
        functions: roles that a function answers for.
        answerer: answers for all of them.
    """

    configs: Mapping[str, ModelConfig]
    functions: Mapping[str, Responder]
    answerer: Responder

    @classmethod
    def of(cls, family: Family, players: Mapping[str, RolePlayer], **options: Any) -> RoleModels:
        """The models that players mean.

        Args:
            family: declares the roles.
            players: by role.
            options: of served models, over what a config says.

        Raises:
            UnknownName: the family has no such role.
            BadArgument: no role is played by a model, so that there is nothing to calibrate.
            BadModel: a text names no model.
            TypeError: a player is none.
        """
        configs: dict[str, ModelConfig] = {}
        functions: dict[str, Responder] = {}
        for role, player in players.items():
            if role not in family.roles:
                raise UnknownName(unknown(f"role of {family.name}", role, family.roles))
            found = model_of(role, player)
            if found is not None:
                configs[role] = found.with_options(**options)
            elif callable(player):
                functions[role] = player
            elif player not in ("rule", None):
                raise TypeError(f"{role}: expected 'MODEL@URL', a ModelConfig or a function of asks, got {player!r}")
        if not configs and not functions:
            ways = " or ".join(f"--role {role}=MODEL@URL" for role in family.roles)
            raise BadArgument(
                "no role is played by a model, so there is nothing to calibrate (rules are what models are held"
                f" against); give {ways or 'a role to a model'}"
            )
        other = _Dispatch(functions)
        return cls(configs, functions, ModelAnswerer(configs, other) if configs else other)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that models play."""
        return (*self.configs, *self.functions)

    def to_json(self) -> dict[str, Any]:
        """The models by role, without address or key."""
        return {role: found.recorded() for role, found in self.configs.items()} | {
            role: {"model": type(found).__name__} for role, found in self.functions.items()
        }

    def probe(self) -> None:
        """Send each served model one request as roles make them.

        Raises:
            ModelAway: it brings no response.
        """
        for role, config in self.configs.items():
            _probe(role, config)

    def usage(self) -> dict[str, Usage]:
        """The cost by role, of served ones."""
        return self.answerer.snapshot() if isinstance(self.answerer, ModelAnswerer) else {}

    def close(self) -> None:
        """Close the connections."""
        close = cast("Callable[[], None] | None", getattr(self.answerer, "close", None))
        if close is not None:
            close()


class _Dispatch:
    """A function of asks that has each role's own function answer."""

    def __init__(self, functions: Mapping[str, Responder]) -> None:
        self._functions = functions

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        return [self._functions[ask.role]([ask])[0] for ask in asks]


def _probe(role: str, config: ModelConfig) -> None:
    from pi_gym.models.loop import model_loop, release
    from pi_gym.models.refusal import RequestFailed
    from pi_gym.models.request_body import RequestBodies

    asked = config.with_options(cache=None, retries=min(config.retries, 1))
    loop, user = model_loop(), RoleModels({}, {}, _Dispatch({})).answerer

    async def send() -> str:
        return await loop.client(role, asked, user).complete(RequestBodies(asked, _PROBE).sent(0), Usage())

    try:
        loop.submit(send()).result()
    except RequestFailed as error:
        told = asked.hidden(" ".join(str(error).split()))
        raise ModelAway(
            f"{role}: {config.model} at {config.server} does not answer, nothing was begun: {told}"
        ) from None
    finally:
        release(user)
