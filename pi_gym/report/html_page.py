"""A report as one HTML page that needs nothing from outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from pi_gym.report.charts import chart_spec, charts_missing, javascript
from pi_gym.report.report_parts import BenchmarkReport, ReportChart, ReportSection, ReportTable, written


def html_page(report: BenchmarkReport, intervals: str) -> str:
    """The report as a page; where the packages for charts are missing it says so in their place.

    Args:
        report: the report.
        intervals: how its intervals are made, a paragraph.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_file), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    missing = charts_missing()
    has_charts = not missing and any(isinstance(part, ReportChart) for one in report.sections for part in one.parts)
    parts: dict[str, Callable[..., Any]] = {
        "written": written,
        "is_chart": lambda part: isinstance(part, ReportChart),
        "contents": _contents,
        "spec": lambda chart: Markup(in_script(chart_spec(chart))),
    }
    return environment.get_template("report.html.j2").render(
        report=report,
        intervals=intervals,
        missing=missing,
        style=Markup(_file("report.css")),
        start=Markup(_file("report.js")),
        # A closing tag in a text of the libraries would end the script.
        libraries=Markup(javascript().replace("</script", r"<\/script")) if has_charts else "",
        **parts,
    )


def in_script(value: Any) -> str:
    r"""A value as JSON that can stand in a script element: nothing in it ends the element or opens a comment.

    >>> in_script("</script><!--")
    '"\\u003c/script\\u003e\\u003c!--"'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _contents(section: ReportSection) -> list[tuple[int, str]]:
    """The entries of a section in the table of contents, with the places of the parts; a number comes once."""
    found: dict[str, int] = {}
    for place, part in enumerate(section.parts, start=1):
        if part.number or isinstance(part, ReportTable):
            found.setdefault(part.number or part.title, place)
    return [(place, text) for text, place in found.items()]


def _file(name: str) -> str:
    return files("pi_gym.report").joinpath("page").joinpath(name).read_text(encoding="utf-8")
