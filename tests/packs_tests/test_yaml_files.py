"""YAML is read as the library reads it, whether straight from its events or by way of its nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import PackError
from pi_gym.schema import yaml_files
from pi_gym.schema.yaml_files import parse_yaml

ROOT = Path(__file__).parents[2]
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text())
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def by_nodes(text: str) -> Any:
    return yaml.load(text, Loader=yaml_files._Loader)


@given(TREES, st.booleans())
def test_what_was_written_is_read(tree: Any, flow: bool) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True)
    assert repr(parse_yaml(text, "file")) == repr(by_nodes(text))


@pytest.mark.parametrize(
    "text",
    [
        "a: &x {b: 1}\nc: *x\n",
        "a: &x {b: 1, d: 2}\nc: {<<: *x, b: 3}\n",
        "a: &x {b: 1}\ne: &y {f: 2}\nc: {<<: [*x, *y], b: 3}\n",
        "a: &x [1, &z 2]\nb: [*x, *z]\n",
        'a: "<<"\n"<<": 1\n',
        "a: 2026-03-09\nb: 0x1F\nc: 1_000\nd: ~\ne: yes\nf: .inf\ng: 12e3\nh: 0o17\ni: 1:30\n",
        "a: !!str 12\nb: !!set {x, y}\n",
        "? [1, 2]\n: x\n",
        "- |\n  two\n  lines\n- >-\n  folded\n  text\n- 'it''s'\n",
        "",
        "--- 1\n...\n",
    ],
)
def test_what_few_files_have_is_read_alike(text: str) -> None:
    try:
        expected = repr(by_nodes(text))
    except yaml.YAMLError:
        with pytest.raises(PackError):
            parse_yaml(text, "file")
    else:
        assert repr(parse_yaml(text, "file")) == expected


@pytest.mark.parametrize("path", sorted(ROOT.glob("envs/*/tasks/*/task.yaml")), ids=lambda path: path.parent.name)
def test_shipped_files_are_read_alike_and_without_the_nodes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert repr(yaml_files._Plain(text).value) == repr(by_nodes(text))


@pytest.mark.parametrize(
    "text", ["a: 1\na: 2\n", "a: {b: 1, b: 2}", "a: *x", "a: &x [*x]\nb: *x", "a: 1\n--- \nb: 2\n"]
)
def test_what_is_refused_stays_refused(text: str) -> None:
    try:
        by_nodes(text)
    except yaml.YAMLError:
        with pytest.raises(PackError, match=r"^file"):
            parse_yaml(text, "file")
