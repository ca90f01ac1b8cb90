"""Bytecode of templates is kept where Python keeps bytecode, and nowhere where it keeps none."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import TemplateError
from jinja2.sandbox import SandboxedEnvironment

from pi_gym.templates import bytecode
from pi_gym.templates.bytecode import kept_bytecode, loaded_template


def environment(monkeypatch: pytest.MonkeyPatch, folder: Path, *, kept: bool = True) -> SandboxedEnvironment:
    monkeypatch.setattr("sys.dont_write_bytecode", not kept)
    monkeypatch.setattr(bytecode, "cache_from_source", lambda path: str(folder / "bytecode.pyc"))
    return SandboxedEnvironment(bytecode_cache=kept_bytecode())


def test_a_template_is_made_code_of_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = "{% for n in numbers %}{{ n + 1 }},{% endfor %}"
    assert loaded_template(environment(monkeypatch, tmp_path / "a"), text).render(numbers=[1, 2]) == "2,3,"
    assert len(list((tmp_path / "a").iterdir())) == 1
    again = environment(monkeypatch, tmp_path / "a")
    monkeypatch.setattr(again, "compile", lambda source: pytest.fail("made anew"))
    assert loaded_template(again, text).render(numbers=[3]) == "4,"


@pytest.mark.parametrize("data", [b"", b"broken", b"j2" + bytes(200)])
def test_a_damaged_file_is_made_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes) -> None:
    loaded_template(environment(monkeypatch, tmp_path), "{{ a }}")
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    assert loaded_template(environment(monkeypatch, tmp_path), "{{ a }}").render(a=1) == "1"


def test_a_folder_that_cannot_be_written_does_not_matter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert loaded_template(environment(monkeypatch, tmp_path / "file"), "{{ a }}").render(a=1) == "1"


def test_nothing_is_kept_where_python_keeps_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert loaded_template(environment(monkeypatch, tmp_path, kept=False), "{{ a }}").render(a=1) == "1"
    assert list(tmp_path.iterdir()) == []


def test_a_faulty_template_is_kept_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for text in ("{% if %}", "{{ a | nothing }}"):
        with pytest.raises(TemplateError):
            loaded_template(environment(monkeypatch, tmp_path), text)
    assert list(tmp_path.iterdir()) == []
