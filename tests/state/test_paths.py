from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state.paths import PathRefused, fold, normalise

ROOT = "/home/lena/workspace"


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("a.md", "a.md"),
        ("./notes//a.md", "notes/a.md"),
        ("notes/./", "notes"),
        (".", ""),
        ("", ""),
        (ROOT, ""),
        (ROOT + "/", ""),
        (ROOT + "//notes/a b.md", "notes/a b.md"),
        ("e\u0301.md", "é.md"),
        ("..a/b..", "..a/b.."),
        (".hidden", ".hidden"),
    ],
)
def test_equal_paths_have_one_form(written: str, normal: str) -> None:
    assert normalise(written, ROOT) == normal


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("..", r"'\.\.'"),
        ("a/../b", r"'\.\.'"),
        (ROOT + "/../x", r"'\.\.'"),
        ("/etc/passwd", "outside"),
        ("/", "outside"),
        (ROOT + "2/x", "outside"),
        ("~/x", "outside"),
        ("~root", "outside"),
        ("a\0b", "control"),
        ("a\nb", "control"),
        ("a\x85b", "control"),
        ("a\u2028b", "control"),
        ("a\ud800b", "control"),
        ("a\\b", "backslash"),
        ("x" * 1_025, "1025 characters"),
        ("x" * 256, "longer than 255 bytes"),
        ("é" * 128, "longer than 255 bytes"),
        ("a/" * 33, "33 folders"),
        ("a/ b", "blank"),
        ("a /b", "blank"),
        ("a\u00a0/b", "blank"),
    ],
)
def test_unacceptable_paths_are_refused_with_the_reason(path: str, reason: str) -> None:
    with pytest.raises(PathRefused, match=reason):
        normalise(path, ROOT)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_any_text_is_refused_or_has_a_stable_encodable_form(text: str) -> None:
    try:
        path = normalise(text, ROOT)
    except PathRefused:
        return
    assert normalise(path, ROOT) == path
    assert normalise(f"{ROOT}/{path}", ROOT) == path
    path.encode()
    assert all(name not in ("", ".", "..") for name in path.split("/")) or path == ""


def test_fold_joins_only_names_that_differ_in_case() -> None:
    assert fold("README.md") == fold("readme.MD")
    assert fold("ÉTÉ") == fold("été")
    assert fold("Maße") != fold("Masse")
