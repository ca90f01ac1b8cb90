"""The differences of two runs that keep their figures from being compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: By key of run.json, what its value is; the agent's own are not among them.
_COMPARED = {
    "env_id": "environment",
    "family": "family",
    "split": "split",
    "history_mode": "history",
    "prompts": "prompts of the engine",
    "pi_gym": "version of pi_gym",
}


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """The differences of what two runs were asked to be, a sentence each; those of agents do not count.

    Args:
        a: one run's run.json.
        b: the other's.
    """
    found = [
        f"The {what} is not the same: {_short(a.get(key))} and {_short(b.get(key))}."
        for key, what in _COMPARED.items()
        if a.get(key) != b.get(key)
    ]
    for part, what in (("packs", "content of pack"), ("env_kwargs", "argument")):
        one, other = a.get(part) or {}, b.get(part) or {}
        found += [
            f"The {what} {name} is not the same: {_short(one.get(name))} and {_short(other.get(name))}."
            for name in dict.fromkeys([*one, *other])
            if one.get(name) != other.get(name)
        ]
    return found


def _short(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 24 else f"{text[:12]}…"
