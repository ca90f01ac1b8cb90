"""Reading YAML: strict about duplicate keys, errors that name file and field."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from pi_gym.errors import PackError

_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 1_000
MAX_SCALARS = 8_192
#: The beginnings of a level within a line; levels by indentation take a line each, and blanks by the square.
_NESTING = ("[", "{", "- ", "? ")
Model = TypeVar("Model", bound=BaseModel)


class _Loader(_Base):  # type: ignore[misc, valid-type]
    """The safe loader without timestamps (dates stay text), and with an error for a key written twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue  # `<<: *anchor`: what stands beside it wins, which is no duplicate
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str | int | float | bool):
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key!r} stands twice", key_node.start_mark
                    )
                seen.add(key)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError) as error:  # "!!int x", or a number of a thousand digits
            what = f"cannot be read as {node.tag.rpartition(':')[2]}: {error}"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from error


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}


def load_yaml(path: Path, shown: str) -> Any:
    """The content of a YAML file.

    Args:
        path: the file.
        shown: its name in error messages, relative to the pack.

    Raises:
        PackError: missing, not UTF-8, or not YAML; the message has line and column.
    """
    return parse_yaml(read_text(path, shown), shown)


def read_text(path: Path, shown: str) -> str:
    """The text of a file, without a byte order mark; PackError where it is missing or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PackError(shown, "", "the file is missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(shown, "", f"cannot be read: {error}") from error


def front_matter(text: str, shown: str) -> tuple[dict[Any, Any], str]:
    """The mapping between the `---` lines that a text begins with, and what follows, without blanks around it.

    Args:
        text: the whole text.
        shown: its file's name in error messages, relative to the pack.

    Raises:
        PackError: there is none, or it is not YAML; the message has line and column of the file.
    """
    parts = text.split("---\n", 2)
    if len(parts) < 3 or parts[0]:
        raise PackError(shown, "", "expected front matter between --- lines")
    front = parse_yaml(f"\n{parts[1]}", shown)  # the line that it begins after counts
    if not isinstance(front, dict):
        raise PackError(shown, "", "expected a mapping between the --- lines")
    return front, parts[2].strip()


def parse_yaml(text: str, shown: str) -> Any:
    """The content of a YAML text; arguments and errors as for `load_yaml`."""
    try:
        _require_shallow(text, shown)
        try:
            return _Plain(text).value
        except (_NotPlain, yaml.YAMLError, RecursionError):
            return yaml.load(text, Loader=_Loader)  # knows all of YAML, and names what is wrong
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise PackError(shown, where, str(getattr(error, "problem", None) or error)) from error


class _NotPlain(Exception):
    """A document has something that few have: tags, unusual merges, keys that are lists, a key written twice."""


@lru_cache(MAX_SCALARS)
def _scalar(text: str) -> Any:
    """The value of a scalar without quotes."""
    for tag, pattern in _Loader.yaml_implicit_resolvers.get(text[:1], ()):
        if pattern.match(text):
            return _Loader("").construct_object(yaml.ScalarNode(tag, text))
    return text


class _Plain:
    """A document read straight from the parser's events, in a third of the time: most files are of this kind.

    Attributes:
        value: what `yaml.load` would give.

    Raises:
        _NotPlain: it has to.
        YAMLError: it is not YAML.
    """

    def __init__(self, text: str) -> None:
        self._next: Callable[[], Any] = _Loader(text).get_event
        self._anchors: dict[str, Any] = {}
        self._expect(yaml.StreamStartEvent)
        self._expect(yaml.DocumentStartEvent)
        self.value = self._read(self._next())
        self._expect(yaml.DocumentEndEvent)
        self._expect(yaml.StreamEndEvent)

    def _expect(self, kind: type[yaml.Event]) -> None:
        if type(self._next()) is not kind:
            raise _NotPlain

    def _read(self, event: Any) -> Any:
        kind = type(event)
        if kind is yaml.AliasEvent:
            if event.anchor not in self._anchors:
                raise _NotPlain
            return self._anchors[event.anchor]
        if event.tag is not None:
            raise _NotPlain
        if kind is yaml.ScalarEvent:
            value = _scalar(event.value) if event.implicit[0] else event.value
        elif kind is yaml.MappingStartEvent:
            value = self._mapping()
        else:
            value = self._sequence()
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _sequence(self) -> list[Any]:
        items = []
        while type(event := self._next()) is not yaml.SequenceEndEvent:
            items.append(self._read(event))
        return items

    def _mapping(self) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        merged: dict[Any, Any] | None = None
        while type(event := self._next()) is not yaml.MappingEndEvent:
            if type(event) is not yaml.ScalarEvent:
                raise _NotPlain
            if event.value == "<<" and event.implicit[0]:
                other = self._read(self._next())
                if merged is not None or not isinstance(other, dict):
                    raise _NotPlain
                merged = other
                continue
            key = self._read(event)
            if key in mapping:
                raise _NotPlain
            mapping[key] = self._read(self._next())
        return mapping if merged is None else {**merged, **mapping}


def _require_shallow(text: str, shown: str) -> None:
    """Refuse a file that is nested too deeply: its reader calls itself for each level, and would end the process."""
    if sum(map(text.count, _NESTING)) <= MAX_DEPTH:
        return
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _too_deep(event.start_mark.line if event.start_mark else 0, shown)
    except yaml.MarkedYAMLError as error:
        # Some versions of libyaml read ahead, and have such a limit of their own.
        if "nesting depth" not in str(error):
            raise
        raise _too_deep(error.problem_mark.line if error.problem_mark else 0, shown) from error


def _too_deep(line: int, shown: str) -> PackError:
    return PackError(shown, f"line {line + 1}", f"is nested more than {MAX_DEPTH} levels deep")


def load_model(model: type[Model], path: Path, shown: str) -> Model:
    """A YAML file checked against a pydantic model; the first faults are all in the error."""
    return check_model(model, load_yaml(path, shown), shown)


def check_model(model: type[Model], raw: Any, shown: str) -> Model:
    """The content of a YAML file, checked against a pydantic model; the first faults are all in the error."""
    if not isinstance(raw, dict):
        raise PackError(shown, "", f"expected a mapping at the top, got {type(raw).__name__}")
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        # A misspelt key shows as an unknown one and as a missing one; the unknown one tells more.
        found = error.errors(include_url=False)
        # A list counts as too short, too, where what is in it is wrong.
        hollow = {fault["loc"][:length] for fault in found for length in range(len(fault["loc"]))}
        faults = [fault for fault in found if not (fault["type"] == "too_short" and fault["loc"] in hollow)]
        faults.sort(key=lambda fault: fault["type"] != "extra_forbidden")
        first, *rest = [(field_path(fault["loc"]), fault["msg"].removeprefix("Value error, ")) for fault in faults]
        more = "".join(f"; {field}: {reason}" for field, reason in rest[:4])
        more += f"; and {len(rest) - 4} more" if len(rest) > 4 else ""
        raise PackError(shown, first[0], first[1] + more) from error


def field_path(location: tuple[int | str, ...]) -> str:
    """A pydantic location as authors write it; tags of unions ("~…") are left out.

    >>> field_path(("intents", 2, "reveal"))
    'intents[2].reveal'
    """
    text = ""
    for part in location:
        if isinstance(part, str) and part.startswith("~"):
            continue
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text
