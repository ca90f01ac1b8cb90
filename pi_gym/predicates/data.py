"""JSON, JSONL and YAML files as values, read so that no content can stall or crash the process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import yaml

from pi_gym.predicates.wording import shown

MAX_DATA_CHARS = 1_000_000
MAX_YAML_CHARS = 300_000  # the YAML reader is the slowest by far
MAX_DATA_DEPTH = 50
_MAX_CACHED_CHARS = 200_000
_FORMATS = {"json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "yaml": "yaml", "yml": "yaml"}


class DataError(ValueError):
    """A file cannot be read as data; the message is the rest of a sentence about the file."""


def load_data(text: str, path: str) -> Any:
    """A file's content as a JSON-like value, by the suffix of its path.

    Raises:
        DataError: the content is malformed, too large, too deep, or uses YAML aliases.
    """
    kind = _FORMATS.get(path.rsplit(".", 1)[-1].lower())
    if kind is None:
        raise DataError(f"has no data format; known suffixes: {', '.join('.' + name for name in _FORMATS)}")
    limit = MAX_YAML_CHARS if kind == "yaml" else MAX_DATA_CHARS
    if len(text) > limit:
        raise DataError(f"has {len(text)} characters; at most {limit} are read as data")
    value, error = (_parse_cached if len(text) <= _MAX_CACHED_CHARS else _parse)(text, kind)
    if error:
        raise DataError(error)
    return value


def _parse(text: str, kind: str) -> tuple[Any, str]:
    try:
        if kind == "jsonl":
            value: Any = [json.loads(line) for line in text.split("\n") if line.strip()]
        else:
            value = json.loads(text) if kind == "json" else _load_yaml(text)
    except RecursionError:
        return None, "is nested too deeply"
    except (ValueError, OverflowError, TypeError, AttributeError, LookupError, yaml.YAMLError) as error:
        # The YAML constructors raise plain errors for scalars such as "2026-13-45" or "0x_".
        return None, f"is no valid {kind.upper()}: {' '.join(shown(str(error)).strip(chr(39)).split())}"
    if _too_deep(value):
        return None, f"is nested more than {MAX_DATA_DEPTH} levels deep"
    return value, ""


_parse_cached = lru_cache(maxsize=16)(_parse)


def _load_yaml(text: str) -> Any:
    # The C composer recurses on the C stack and dies on deep nesting, and an alias can stand for a tree of any size:
    # both are refused from the flat event stream before anything is composed.
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise DataError("anchors and aliases are not read")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DATA_DEPTH:
                raise DataError(f"nested more than {MAX_DATA_DEPTH} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return yaml.load(text, Loader=yaml.CSafeLoader)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DATA_DEPTH + 1):
        level = [child for one in level for child in _children(one)]
        if not level:
            return False
    return True


def _children(value: Any) -> Sequence[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list | tuple) else ()
