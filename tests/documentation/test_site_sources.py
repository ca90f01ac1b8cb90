"""The source of the site: every page has its place, and pages are written of what they are about."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import arrow_charts
import assembly
import pytest
from environment_pages import argument_meanings, docstring_sections, environment_pages
from gallery_pages import BadGallery, check_gallery, read_gallery
from reference_pages import PAGES, exports
from versions import list_versions, versions

from pi_gym.environments import base_env, families, make_env
from pi_gym.info import INFO_KEYS
from pi_gym.registration import registered_ids

ROOT = Path(__file__).parents[2]
#: What the build writes beside the pages of environments.
WRITTEN = ("start.md", "gallery/index.md", "reference/index.md")


@pytest.fixture(scope="module")
def environments() -> dict[str, str]:
    return environment_pages(assembly.described_packs(assembly.written_files()))


def pages(environments: dict[str, str]) -> list[str]:
    written = map(assembly.page_of, assembly.written_files())
    return assembly.top_pages([*written, *environments, *WRITTEN])


def test_every_page_stands_in_one_section(environments: dict[str, str]) -> None:
    assembly.check_navigation(*assembly.read_navigation(), pages(environments))


def test_a_page_in_no_section_is_named_with_the_sections(environments: dict[str, str]) -> None:
    with pytest.raises(assembly.BadSite, match=r"(?s)navigation\.yaml.*novel: in no section; .*Start, Environments"):
        assembly.check_navigation(*assembly.read_navigation(), [*pages(environments), "novel"])


def test_pages_that_are_not_there_or_named_twice_are_told() -> None:
    with pytest.raises(assembly.BadSite, match=r"(?s)b: there is no such page.*a: named more than once"):
        assembly.check_navigation({"One": ["a", "b"]}, {"b": ["a"]}, ["a"])


def test_every_example_says_where_its_output_is_from() -> None:
    check_gallery(read_gallery(), {path.stem for path in (ROOT / "examples").glob("*.py")})


@pytest.mark.parametrize(
    ("gallery", "told"),
    [
        ({}, "one: not listed"),
        ({"A": {"one": {"none": "x"}, "two": {"none": "x"}}}, "two: there is no"),
        ({"A": {"one": {"by": "x"}}}, "one: expected one of run, kept"),
        ({"A": {"one": {"none": "x"}}, "B": {"one": {"none": "x"}}}, "one: listed more than once"),
    ],
)
def test_an_example_that_is_not_as_it_has_to_be_is_told(gallery: Mapping[str, Any], told: str) -> None:
    with pytest.raises(BadGallery, match=told):
        check_gallery(gallery, {"one"})


@pytest.mark.parametrize("env_id", registered_ids())
def test_the_page_of_an_environment_has_all_that_its_class_and_packs_say(
    environments: dict[str, str], env_id: str
) -> None:
    page, env = environments[f"environments/{env_id}.md"], base_env(make_env(env_id, {}))
    _, sections = docstring_sections(type(env))
    meanings = argument_meanings(sections["Arguments"])
    assert set(meanings) == set(inspect.signature(type(env)).parameters)
    for name in [*meanings, *INFO_KEYS, *env.family.info_keys]:
        assert re.search(rf"^\| `{name}` \|.*\w.* \|$", page, re.MULTILINE), name
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert set(headings) == {*sections, "Starting state", "Scores", "Info"}
    assert len(set(headings)) == len(headings)
    for pack in env.packs:
        tasks = [one for one in pack.task_ids if f"| `{one}` |" in page]
        assert tasks == (list(pack.task_ids) if len(env.packs) == 1 else [])
    assert f"[{env_id}]({env_id}.md)" in environments["environments/index.md"]


def test_packs_without_a_page_get_what_describe_writes(environments: dict[str, str]) -> None:
    assert environments["mini.md"].startswith("<!-- Made by `pi-gym describe mini`")
    assert "researcher.md" not in environments


@pytest.mark.parametrize(
    "module", sorted({one for _, _, modules in PAGES.values() for one in modules if "*" not in one})
)
def test_what_a_module_exports_is_found_where_it_is_defined(module: str) -> None:
    for name, home in exports(module.removesuffix(".__all__")).items():
        assert home.rpartition(".")[2] == name
        assert home.startswith("pi_gym.")


def test_links_of_a_page_lead_to_pages_of_the_site() -> None:
    source = assembly.Source()
    page = ROOT / "docs" / "x.md"
    text = "[macros](../examples/shared/macros.py) [a](../examples/trl_sft.py) [training.md](training.md#x) [b](#b)\n"
    text += "[changes](../CHANGELOG.md) [Licence](../LICENSE) [world](../envs/mini) ![p](view.png)\n"
    text += "```\n[left](alone.md)\n```\n"
    assert assembly._linked(text, page, "x.md", source) == (
        "[macros](gallery/shared.md) [a](gallery/trl_sft.md) [Training](training.md#x) [b](#b)\n"
        "[changes](changelog.md) [Licence](files/LICENSE) world ![p](view.png)\n"
        "```\n[left](alone.md)\n```\n"
    )
    assert set(source.copied) == {"files/LICENSE", "view.png"}
    with pytest.raises(assembly.BadSite, match=r"docs/x\.md: nowhere\.md: there is no such file"):
        assembly._linked("[a](nowhere.md)", page, "x.md", source)


def test_the_readme_is_told_once() -> None:
    intro, start = assembly.readme_parts("# a\n\nb\n\n## Use\n\nc\n\n## Documentation\n\nd\n\n## Status\n\ne\n")
    assert intro == "# a\n\nb\n\n"
    assert start == "# First steps\n\n## Use\n\nc\n\n## Status\n\ne\n"


def test_a_chart_of_arrows_is_a_picture_that_says_what_it_shows() -> None:
    fence = '```mermaid\nflowchart LR\n    a["01-a"] -- 2 --> b["02-b"]\n```'
    assert 'aria-label="01-a to 02-b: 2"' in arrow_charts.chart(fence)
    assert arrow_charts.chart("```mermaid\npie\n```") == "```text\npie\n```"


def test_the_newest_version_comes_first(tmp_path: Path) -> None:
    for name in ("0.9.0", "0.10.0rc1", "0.10.0", "main"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "objects.inv").touch()
    assert versions(tmp_path) == ["0.10.0", "0.10.0rc1", "0.9.0", "main"]
    list_versions(tmp_path)
    assert "url=0.10.0/index.html" in (tmp_path / "index.html").read_text()


def test_what_is_no_longer_in_the_source_is_removed(tmp_path: Path) -> None:
    assembly.Source({"a.md": "a", "b/c.md": "c"}).write(tmp_path)
    before = (tmp_path / "a.md").stat().st_mtime_ns
    assembly.Source({"a.md": "a"}).write(tmp_path)
    assert not (tmp_path / "b" / "c.md").exists()
    assert (tmp_path / "a.md").stat().st_mtime_ns == before


def test_every_family_describes_its_packs() -> None:
    assert all(family.describer for family in families())
