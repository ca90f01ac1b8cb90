"""The source of the site: the pages of docs/, and those that are written of the README, the code and the examples."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from arrow_charts import chart
from environment_pages import environment_pages
from gallery_pages import gallery_pages
from reference_pages import reference_pages

SITE = Path(__file__).parent
DOCS = SITE.parent
ROOT = DOCS.parent
#: Sections of the README that the site's own navigation takes the place of.
LEFT_OUT = ("Documentation",)
_FENCE = re.compile(r"^(```.*?^```[^\S\n]*$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


class BadSite(Exception):
    """Something of the site is not as it has to be; the message says what to do."""


@dataclass
class Source:
    """The files of the site's source.

    Args:
        texts: by path, pages and whatever else is text.
        copied: by path, files that are taken as they are.
    """

    texts: dict[str, str] = field(default_factory=dict)
    copied: dict[str, Path] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the files that are not there as they should be, and remove all others: what stays is not built anew."""
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.relative_to(folder).as_posix() not in {*self.texts, *self.copied}:
                path.unlink()
        wanted = {name: text.encode() for name, text in self.texts.items()}
        wanted |= {name: path.read_bytes() for name, path in self.copied.items()}
        for name, content in wanted.items():
            path = folder / name
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


def assemble() -> Source:
    """The whole source.

    Raises:
        BadSite: a page is in no section, or a section names one that there is not; a link leads nowhere.
    """
    source = Source()
    written = written_files()
    for path in written:
        source.texts[page_of(path)] = site_text(path, source)
    intro, start = readme_parts((ROOT / "README.md").read_text(encoding="utf-8"))
    source.texts["start.md"] = _linked(start, ROOT / "README.md", "start.md", source)
    for name, text in environment_pages(described_packs(written)).items():
        source.texts[name] = "".join(
            chart(part) if part.startswith("```mermaid") else part for part in _FENCE.split(text)
        )
    source.texts |= gallery_pages(ROOT, lambda page, anchor: _linked_table(page, anchor, source))
    source.texts |= reference_pages()
    intro = _linked(intro, ROOT / "README.md", "index.md", source)
    navigation, below = read_navigation()
    check_navigation(navigation, below, top_pages(source.texts))
    source.texts["index.md"] = index_page(intro, navigation)
    for page, pages in below.items():
        source.texts[f"{page}.md"] += "\n" + toctree(pages, "hidden", page)
    return source


def written_files() -> list[Path]:
    """The Markdown files that become pages as they are, but for their links."""
    docs = [path for path in sorted(DOCS.rglob("*.md")) if SITE not in path.parents]
    return [*docs, *(path for path in sorted(ROOT.glob("*.md")) if path.name != "README.md")]


def page_of(path: Path) -> str:
    """The place of a written file on the site: its path under docs/; of one at the top its name in small letters."""
    if DOCS in path.parents:
        return path.relative_to(DOCS).as_posix()
    return path.name.lower()


def described_packs(paths: Iterable[Path]) -> Mapping[str, str]:
    """By the name of a pack, its page among the written ones that `pi-gym describe` made."""
    found = {}
    for path in paths:
        made = re.match(r"<!-- Made by `pi-gym describe (\w+)`", path.read_text(encoding="utf-8"))
        if made:
            found[made[1]] = page_of(path)
    return found


# -- navigation --------------------------------------------------------------------------------------------------------


def read_navigation() -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """The pages by section, and by page those below it."""
    raw = yaml.safe_load((SITE / "navigation.yaml").read_text(encoding="utf-8"))
    sections: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for section, entries in raw.items():
        nested = [one for one in entries if isinstance(one, dict)]
        below |= {page: pages for one in nested for page, pages in one.items()}
        sections[section] = [one if isinstance(one, str) else next(iter(one)) for one in entries]
    return sections, below


def top_pages(texts: Iterable[str]) -> list[str]:
    """The pages that the navigation has to name: those below an index of their own are found by it."""
    pages = [name.rpartition(".")[0] for name in texts]
    indexed = {name.removesuffix("index") for name in pages if name.endswith("/index")}
    return [name for name in pages if name.endswith("/index") or not name.startswith(tuple(indexed))]


def check_navigation(navigation: Mapping[str, list[str]], below: Mapping[str, list[str]], pages: Iterable[str]) -> None:
    """Raise BadSite where not every page stands in one section, and nothing else in any."""
    named = [name for part in (navigation, below) for names in part.values() for name in names]
    missing, unknown = sorted(set(pages) - set(named)), sorted(set(named) - set(pages))
    twice = sorted({name for name in named if named.count(name) > 1})
    told = [
        *(f"{name}: in no section; add it to one of {', '.join(navigation)}" for name in missing),
        *(f"{name}: there is no such page; take it out" for name in unknown),
        *(f"{name}: named more than once; leave one" for name in twice),
    ]
    if told:
        raise BadSite("docs/site/navigation.yaml:\n" + "\n".join(told))


def index_page(intro: str, navigation: Mapping[str, list[str]]) -> str:
    """The first page: what the README begins with, and the sections."""
    sections = [toctree(pages, f"caption: {section}", "index") for section, pages in navigation.items()]
    return "\n".join([intro.rstrip(), "", '<div class="sections">', "", *sections, "</div>", ""])


def toctree(pages: Iterable[str], option: str, page: str) -> str:
    """The pages that come below a page."""
    names = "\n".join(os.path.relpath(name, Path(page).parent) for name in pages)
    colon = "" if ":" in option else ":"
    return f"```{{toctree}}\n:maxdepth: 1\n:titlesonly:\n:{option}{colon}\n\n{names}\n```\n"


# -- texts -------------------------------------------------------------------------------------------------------------


def readme_parts(text: str) -> tuple[str, str]:
    """What the README begins with, up to its first section, and a page of its sections."""
    intro, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    kept = [one for one in sections if one.partition("\n")[0].removeprefix("## ") not in LEFT_OUT]
    return intro, "# First steps\n\n" + "".join(kept)


def site_text(path: Path, source: Source) -> str:
    """A written file as a page: its links lead to pages and files of the site, its charts are pictures."""
    return _linked(path.read_text(encoding="utf-8"), path, page_of(path), source)


def _linked(text: str, path: Path, page: str, source: Source) -> str:
    def link(found: re.Match[str]) -> str:
        picture, label, target = found.groups()
        place, _, anchor = target.partition("#")
        if "://" in target or not place:
            return found[0]
        goal = Path(os.path.normpath(path.parent / place))
        if goal.is_dir() and ROOT / "examples" not in (goal, *goal.parents):
            return label  # a folder has no page
        if goal.suffix == ".md" and label in (place, f"docs/{place}", Path(place).name):
            label = title(goal)
        there = os.path.relpath(_goal(goal, f"{path.relative_to(ROOT)}: {target}", source), Path(page).parent)
        return f"{picture}[{label}]({Path(there).as_posix()}{'#' + anchor if anchor else ''})"

    parts = _FENCE.split(text)
    return "".join(
        chart(part) if part.startswith("```mermaid") else part if part.startswith("```") else _LINK.sub(link, part)
        for part in parts
    )


def title(path: Path) -> str:
    """The title of a Markdown file."""
    found = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else path.name


def _goal(goal: Path, where: str, source: Source) -> str:
    """The place on the site of what a link leads to; a file that is no page comes along."""
    if not goal.exists() or ROOT not in goal.parents:
        raise BadSite(f"{where}: there is no such file")
    name = goal.relative_to(ROOT).as_posix()
    if goal == ROOT / "README.md":
        return "index.md"
    if goal.suffix == ".md" and (goal.parent == ROOT or DOCS in goal.parents):
        return page_of(goal)
    if name == "examples" or name.startswith("examples/shared"):
        return "gallery/index.md" if name == "examples" else "gallery/shared.md"
    if goal.parent == ROOT / "examples" and goal.suffix == ".py":
        return f"gallery/{goal.stem}.md"
    place = goal.relative_to(DOCS).as_posix() if DOCS in goal.parents else f"files/{name}"
    source.copied[place] = goal
    return place


def _linked_table(page: str, anchor: str, source: Source) -> str:
    """The first table below a heading of a page of docs/, for a page of the gallery."""
    path = DOCS / page
    text = path.read_text(encoding="utf-8")
    heads = re.finditer(r"^#+ (.+)$", text, re.MULTILINE)
    head = next((one for one in heads if re.sub(r"[^\w\- ]", "", one[1].lower()).replace(" ", "-") == anchor), None)
    rows = head and re.compile(r"(?:^\|.*\n)+", re.MULTILINE).search(text, head.end())
    if not rows:
        raise BadSite(f"docs/site/gallery.yaml: {page}#{anchor}: there is no table below such a heading")
    return _linked(rows[0], path, f"gallery/{page}", source)


def clean(folder: Path) -> None:
    """Have an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
