"""Charts as Vega-Lite specifications, by altair; the packages of the extra `report` are imported when one is made."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from pi_gym.report.report_parts import ChartAxis, ChartMark, Estimate, ReportChart

_PACKAGES = ("altair", "vl_convert")
#: Colours that colour-blind people tell apart, after Okabe and Ito; without black and yellow, lost on one of the groun
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2), (4, 4), (10, 4))
_INK, _HEIGHT, _ROW, _PANEL = "currentColor", 300, 26, 190


def charts_missing() -> str:
    """The line that says what to install so that charts can be drawn; "" where everything is there."""
    missing = [name.replace("vl_convert", "vl-convert-python") for name in _PACKAGES if find_spec(name) is None]
    return f"charts need the packages {' and '.join(missing)}: pip install 'pi-gym[report]'" if missing else ""


@cache
def javascript() -> str:
    """The libraries that draw the charts, as one script that needs nothing from outside."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle


def chart_spec(chart: ReportChart) -> dict[str, Any]:
    """The Vega-Lite specification of a chart; it takes the colour of text from the page."""
    import altair as alt

    series = list(dict.fromkeys(mark.series for mark in chart.marks))
    rows = [_row(chart, mark) for mark in chart.marks]
    scale = {"domain": series}
    colour = alt.Color(
        "series:N", scale=alt.Scale(**scale, range=_cycled(COLOURS, len(series))), title=chart.series, sort=series
    )
    shape = alt.Shape("series:N", scale=alt.Scale(**scale, range=_cycled(SHAPES, len(series))), title=chart.series)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(**scale, range=_cycled(DASHES, len(series))), title=chart.series)
    tips = [alt.Tooltip(f"{name}:N", title=title) for name, title in _tips(chart).items()]
    x, y = alt.X(**_encoding(chart, "x", chart.x)), alt.Y(**_encoding(chart, "y", chart.y))
    if chart.form == "dots":
        offset = [alt.YOffset("series:N", sort=series)] if len(series) > 1 else []
    else:
        offset = []
    base = alt.Chart()
    layers: list[Any] = []
    if chart.diagonal:
        ends = alt.Data(values=[{"x": 0, "y": 0}, {"x": 100, "y": 100}])
        layers.append(
            alt.Chart(ends)
            .mark_line(color=_INK, opacity=0.45, strokeDash=[4, 4])
            .encode(alt.X("x:Q", title=_title(chart.x)), alt.Y("y:Q", title=_title(chart.y)))
        )
    if chart.zero:
        layers.append(
            alt.Chart(alt.Data(values=[{"x": 0}]))
            .mark_rule(color=_INK, opacity=0.6)
            .encode(alt.X("x:Q", title=_title(chart.x)))
        )
    if any(row.get("x_low") is not None for row in rows):
        there = base.transform_filter("isValid(datum.x_low)").mark_rule(strokeWidth=1.6, opacity=0.75)
        layers.append(there.encode(alt.X("x_low:Q", title=_title(chart.x)), y, colour, *offset, x2="x_high:Q"))
    if any(row.get("y_low") is not None for row in rows):
        there = base.transform_filter("isValid(datum.y_low)").mark_rule(strokeWidth=1.6, opacity=0.75)
        layers.append(there.encode(x, alt.Y("y_low:Q", title=_title(chart.y)), colour, y2="y_high:Q"))
    if chart.form == "lines":
        layers.append(base.mark_line(strokeWidth=2).encode(x, y, colour, dash))
    layers.append(base.mark_point(filled=True, size=90, opacity=1).encode(x, y, colour, shape, *offset, tooltip=tips))
    panels = list(dict.fromkeys(mark.panel for mark in chart.marks))
    several = len(panels) > 1
    width: Any = _PANEL if several else 460
    height = _height(chart, several)
    layered = alt.layer(*layers, data=alt.Data(values=rows)).properties(width=width, height=height)
    drawn: Any = layered
    if several:
        drawn = layered.facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=3)
    config = {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "view": {"stroke": _INK, "strokeOpacity": 0.25},
        "axis": {
            "labelColor": _INK, "titleColor": _INK, "domainColor": _INK, "tickColor": _INK, "gridColor": _INK,
            "gridOpacity": 0.12, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 500, "labelLimit": 360,
        },
        "legend": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 300,
                   "orient": "bottom", "direction": "horizontal", "columns": 3},
        "header": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 13, "labelFontWeight": 600},
    }  # fmt: skip
    spec: dict[str, Any] = drawn.to_dict(validate=False)
    return spec | {"config": config}


def _height(chart: ReportChart, several: bool) -> int:
    if chart.form != "dots":
        return _PANEL if several else _HEIGHT
    names = len({mark.y for mark in chart.marks if isinstance(mark.y, str)})
    return names * max(_ROW, 13 * len({mark.series for mark in chart.marks}))


def _encoding(chart: ReportChart, name: str, axis: ChartAxis) -> dict[str, Any]:
    values = [getattr(mark, name) for mark in chart.marks]
    if values and isinstance(values[0], str):
        return {"shorthand": f"{name}:N", "title": None, "sort": list(dict.fromkeys(values)), "axis": {"labelAngle": 0}}
    span = {"scale": {"domain": [_shown(axis, end) for end in axis.span]}} if axis.span and axis.unit else {}
    return {"shorthand": f"{name}:Q", "title": _title(axis), **({"scale": {"zero": False}} | span)}


def _title(axis: ChartAxis) -> str:
    return f"{axis.title} (%)" if axis.unit == "%" else axis.title


def _row(chart: ReportChart, mark: ChartMark) -> dict[str, Any]:
    row: dict[str, Any] = {"series": mark.series, "panel": mark.panel}
    for name, axis, value in (("x", chart.x, mark.x), ("y", chart.y, mark.y)):
        if isinstance(value, Estimate):
            row[name] = _shown(axis, value.value)
            row[f"{name}_low"], row[f"{name}_high"] = _shown(axis, value.low), _shown(axis, value.high)
            row[f"{name}_told"] = _told(axis, value)
        else:
            row[name] = row[f"{name}_told"] = value
    return row


def _tips(chart: ReportChart) -> dict[str, str]:
    return {"series": chart.series, "x_told": chart.x.title, "y_told": chart.y.title}


def _told(axis: ChartAxis, value: Estimate) -> str:
    from pi_gym.report.report_parts import TableColumn, written

    return " ".join(filter(None, written(value, TableColumn(axis.title, axis.unit, axis.decimals))))


def _shown(axis: ChartAxis, value: float | None) -> float | None:
    return None if value is None else 100 * value if axis.unit == "%" else value


def _cycled(values: Any, count: int) -> list[Any]:
    return [values[number % len(values)] for number in range(count)]
