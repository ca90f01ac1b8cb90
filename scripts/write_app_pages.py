"""Write docs/apps/<app>.md for every app: `python scripts/write_app_pages.py`."""

from __future__ import annotations

from pathlib import Path

from pi_gym.apps import app_names, document

FOLDER = Path(__file__).parents[1] / "docs" / "apps"

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in app_names():
        (FOLDER / f"{name}.md").write_text(document(name), encoding="utf-8")
