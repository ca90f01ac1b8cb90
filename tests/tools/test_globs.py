from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.tools.globs import BadPattern, depth, literal_folder, matcher

PATHS = ["a.md", "ab.md", "n/a.md", "n/b.txt", "n/deep/a.md", "n/deep/c[1].md", "{x}.md", "a-b", "[z"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.md", ["a.md", "ab.md", "n/a.md", "n/deep/a.md", "n/deep/c[1].md", "{x}.md"]),
        ("./n/*.md", []),
        ("n/*.md", ["n/a.md"]),
        ("n/**/*.md", ["n/a.md", "n/deep/a.md", "n/deep/c[1].md"]),
        ("**/a.md", ["a.md", "n/a.md", "n/deep/a.md"]),
        ("n/**", ["n/a.md", "n/b.txt", "n/deep/a.md", "n/deep/c[1].md"]),
        ("**", PATHS),
        ("?.md", ["a.md", "n/a.md", "n/deep/a.md"]),
        ("[!b-z].*", ["a.md", "n/a.md", "n/deep/a.md"]),
        ("*[[]1].md", ["n/deep/c[1].md"]),
        ("{a,n/b}.{md,txt}", ["a.md", "n/b.txt"]),
        ("{a{,b},x}.md", ["a.md", "ab.md", "n/a.md", "n/deep/a.md"]),
        ("{x}.md", []),
        ("[{]x}.md", ["{x}.md"]),
        ("[z", ["[z"]),
        ("a[-x]b", ["a-b"]),
        ("A.md", []),
        ("a.m", []),
    ],
)
def test_patterns_match_as_in_a_shell(pattern: str, expected: list[str]) -> None:
    assert [path for path in PATHS if matcher(pattern)(path)] == expected


@settings(deadline=None)
@given(st.text(alphabet="ab/*?[]!{},-\\(^$.", max_size=12), st.sampled_from([*PATHS, "b", "a/b/a", "a,b"]))
def test_any_pattern_is_refused_or_agrees_with_its_written_part(pattern: str, path: str) -> None:
    try:
        matches = matcher(pattern)(path)
    except BadPattern:
        return
    if matches and "/" in pattern.strip("/") and pattern == pattern.strip("/"):
        folder, levels = literal_folder(pattern), depth(pattern)
        assert not folder or path.startswith(folder + "/")
        assert levels is None or path.count("/") <= levels


@settings(deadline=None)
@given(st.text(alphabet="ab.-(+|^$é ", min_size=1, max_size=10))
def test_plain_text_matches_itself_only(text: str) -> None:
    assert matcher(text)(text)
    assert not matcher(text)(text + "x")


@pytest.mark.parametrize("pattern", ["", "/", "a" * 401, "[b-a]x", "\ud800"])
def test_unusable_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        matcher(pattern)


def test_hostile_patterns_stay_linear() -> None:
    start = time.process_time()
    assert not matcher("*a" * 150 + "b")("a" * 1_000)
    assert not matcher("{a,a}" * 60 + "b")("a" * 60)
    assert time.process_time() - start < 1
