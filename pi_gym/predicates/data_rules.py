"""The DATA condition: what stands at a path of a JSON, JSONL or YAML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pi_gym.predicates.data import DataError, load_data
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import regex
from pi_gym.predicates.value_rules import ALL_KEYS, MISSING, ValueCondition, parse_value, value_condition
from pi_gym.predicates.wording import listed

Step = str | int
EVERY = "*"
_STEP = regex(r"([^.\[\]]+)|\[(-?[0-9]{1,9}|\*)\]|(\.)")


@dataclass(frozen=True, slots=True)
class Every:
    """The step to every element of a list."""


def parse_steps(node: Node) -> tuple[Step | Every, ...]:
    """A path such as `a.b[0].c`; `[*]` is every element, `[-1]` the last."""
    raw = node.string("a path such as a.b[0].c")
    if node.templated:
        return ()
    steps: list[Step | Every] = []
    at = 0
    for match in _STEP.finditer(raw) if raw.isprintable() else ():
        if match.start() != at:
            break
        at = match.end()
        name, index = match.group(1), match.group(2)
        if name is not None:
            steps.append(name)
        elif index is not None:
            steps.append(Every() if index == EVERY else int(index))
    if at != len(raw) or not steps:
        raise node.wrong("a path such as a.b[0].c")
    return tuple(steps)


def found_at(value: Any, steps: Sequence[Step | Every]) -> Iterator[Any]:
    """The values at a path, `MISSING` where it leads nowhere (an empty list has no element to meet a condition)."""
    for index, step in enumerate(steps):
        if isinstance(step, Every):
            if not isinstance(value, list) or not value:
                yield MISSING
                return
            for one in value:
                yield from found_at(one, steps[index + 1 :])
            return
        if isinstance(step, int):
            inside = isinstance(value, list) and -len(value) <= step < len(value)
            value = value[step] if inside else MISSING
        else:
            value = value.get(step, MISSING) if isinstance(value, Mapping) else MISSING
        if value is MISSING:
            break
    # YAML reads dates as dates; authors and JSON write them as text.
    yield value.isoformat() if isinstance(value, date) else value


@dataclass(frozen=True, slots=True)
class DataRule:
    """A rule for the values at one path.

    Args:
        steps: the path.
        path: the path as written.
        value: what each value there must be.
        keys: the exact keys of the mapping there, or None.
        has_keys: keys that the mapping there must have.
    """

    steps: tuple[Step | Every, ...]
    path: str
    value: ValueCondition | None
    keys: tuple[str, ...] | None
    has_keys: tuple[str, ...]

    def fault(self, data: Any) -> str:
        """The reason why the data is not as asked, as the rest of a sentence about the file; "" where it is."""
        place = f"has a value at {self.path!r} that" if self.path else "has a content that"
        for value in found_at(data, self.steps):
            if self.value is not None and (fault := self.value.fault(value)):
                return f"{place} {fault}"
            if fault := self._keys(value):
                return f"{place} {fault}"
        return ""

    def _keys(self, value: Any) -> str:
        if self.keys is None and not self.has_keys:
            return ""
        if not isinstance(value, Mapping):
            return "is no mapping"
        found = [str(key) for key in value]
        if self.keys is not None and sorted(found) != sorted(self.keys):
            return f"has the keys {listed(found, 12)}; expected exactly {listed(self.keys, 12)}"
        missing = [key for key in self.has_keys if key not in found]
        return f"lacks the keys {listed(missing)}; found {listed(found, 12)}" if missing else ""


@dataclass(frozen=True, slots=True)
class DataCondition:
    """All that is asked of a data file."""

    rules: tuple[DataRule, ...]

    def fault(self, text: str, path: str) -> str:
        """The reason why the data is not as asked, as the rest of a sentence about the file; "" where it is."""
        try:
            data = load_data(text, path)
        except DataError as error:
            return str(error)
        return next((fault for rule in self.rules if (fault := rule.fault(data))), "")


_KEYS = ("path", "keys", "has_keys", "each", *(key for key in ALL_KEYS if key != "path"))


def _parse_rule(node: Node) -> DataRule:
    fields = node.fields(_KEYS, "data condition")
    own = ("path", "keys", "has_keys")
    rest = {key: one for key, one in fields.items() if key not in own}
    steps = parse_steps(fields["path"]) if "path" in fields else ()
    path = str(fields["path"].raw) if "path" in fields else ""
    keys = fields["keys"].strings() if "keys" in fields else None
    has_keys = fields["has_keys"].strings() if "has_keys" in fields else ()
    each = rest.pop("each", None)
    if each is not None:
        if rest or keys or has_keys:
            raise node.wrong("'each' without other conditions in the same entry")
        return DataRule((*steps, Every()), f"{path}[*]", parse_value(each), None, ())
    if not rest and keys is None and not has_keys and not node.templated:
        raise node.wrong("a condition on the value, or keys, or has_keys")
    return DataRule(steps, path, value_condition(rest) if rest else None, keys, has_keys)


def parse_data(node: Node) -> DataCondition:
    """A DATA condition: one entry or a list of entries."""
    return DataCondition(tuple(_parse_rule(one) for one in node.one_or_more()))
