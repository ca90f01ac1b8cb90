"""The skills of a persona in the official layout: folders with a SKILL.md, offered in every task."""

from __future__ import annotations

from pathlib import Path

from pi_gym.errors import PackError
from pi_gym.schema import front_matter

_MAX_DESCRIPTION_CHARS = 300


def read_skills(folder: Path, warnings: list[str]) -> tuple[dict[str, str], ...]:
    """Name (the folder's) and description of every skill, sorted; what is odd about one is added to `warnings`."""
    skills: list[dict[str, str]] = []
    if folder.exists() and not folder.is_dir():
        raise PackError("skills", "", "expected a folder")
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not entry.is_dir() or entry.name.startswith("."):
            continue
        shown = f"skills/{entry.name}/SKILL.md"
        if not (entry / "SKILL.md").is_file():
            warnings.append(f"{shown}: missing, so the skill is not offered")
            continue
        text = (entry / "SKILL.md").read_text(encoding="utf-8-sig", errors="replace")
        description = _description(text, shown, warnings)
        if not description:
            warnings.append(f"{shown}: no description, neither in front matter nor as text")
        skills.append({"name": entry.name, "description": description})
    return tuple(skills)


def _description(text: str, shown: str, warnings: list[str]) -> str:
    """The description of the front matter; without one, the first line of text that is no heading."""
    try:
        front, body = front_matter(text, shown)
    except PackError as error:
        if text.startswith("---"):
            warnings.append(f"{error}; its front matter is not read")
        front, body = {}, text.split("---\n", 2)[-1]
    if isinstance(front.get("description"), str):
        return _one_line(front["description"])
    lines = (line.strip() for line in body.splitlines())
    return _one_line(next((line for line in lines if line and not line.startswith(("#", "---"))), ""))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_DESCRIPTION_CHARS else line[:_MAX_DESCRIPTION_CHARS] + "…"
