"""Charts as Vega-Lite specifications; the package that has Vega-Lite is imported when a page is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeAlias

from pi_gym.report.report_parts import ChartAxis, ChartMark, Estimate, ReportChart, TableColumn, written

#: Colours that colour-blind people tell apart, after Okabe and Ito; without black and yellow, lost on one ground.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2), (4, 4), (10, 4))
_INK, _WIDTH, _HEIGHT, _ROW, _PANEL = "currentColor", 430, 300, 26, 190
#: Areas of points in square pixels: of one, and by how much the one below another is larger.
_POINT, _LARGER = 80, 170
#: Pixels between an axis and the figures at its ends.
_MARGIN = 8
#: Points are at one place where they are closer than this share of both axes.
_CLOSE = 0.015

#: A part of a Vega-Lite specification.
ChartSpec: TypeAlias = dict[str, Any]


def charts_missing() -> str:
    """The line that says what to install so that charts can be drawn; "" where everything is there."""
    if find_spec("vl_convert") is not None:
        return ""
    return "charts need the package vl-convert-python: pip install 'pi-gym[report]'"


@cache
def javascript() -> str:
    """The libraries that draw the charts, as one script that needs nothing from outside."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle


def chart_spec(chart: ReportChart) -> ChartSpec:
    """The Vega-Lite specification of a chart; it takes the colour of text from the page."""
    rows = [_row(chart, mark) for mark in chart.marks]
    if chart.form == "points":
        _keep_apart(chart, rows)
    panels = list(dict.fromkeys(mark.panel for mark in chart.marks))
    several = len(panels) > 1
    drawn: ChartSpec = {
        "layer": list(_layers(chart, rows)),
        "width": _PANEL if several else _WIDTH,
        "height": _height(chart, several),
    }
    if several:
        facet = {"field": "panel", "type": "nominal", "title": None, "sort": panels}
        each = {"axis": {"x": "independent", "y": "independent"}}
        drawn = {"facet": facet, "columns": 3, "spec": drawn, "resolve": each}
    return {"data": {"values": rows}, **drawn, "config": _CONFIG}


def _layers(chart: ReportChart, rows: Sequence[ChartSpec]) -> Iterator[ChartSpec]:
    """The layers of a chart, the lowest first: lines to compare with, intervals, lines, points."""
    series = list(dict.fromkeys(mark.series for mark in chart.marks))
    by_series: ChartSpec = {"field": "series", "type": "nominal", "title": chart.series, "sort": series}
    colour, shape, dash = (
        by_series | {"scale": {"domain": series, "range": [values[n % len(values)] for n in range(len(series))]}}
        for values in (COLOURS, SHAPES, DASHES)
    )
    x, y = _encoding(chart, "x", chart.x), _encoding(chart, "y", chart.y)
    apart: ChartSpec = {"yOffset": by_series} if chart.form == "dots" and len(series) > 1 else {}
    if chart.diagonal:
        dashed = {"type": "line", "color": _INK, "opacity": 0.45, "strokeDash": [4, 4]}
        ends = [{"x": 0, "y": 0}, {"x": 100, "y": 100}]
        yield {"data": {"values": ends}, "mark": dashed, "encoding": {"x": x, "y": y}}
    if chart.zero:
        rule = {"type": "rule", "color": _INK, "opacity": 0.6}
        yield {"data": {"values": [{"x": 0}]}, "mark": rule, "encoding": {"x": x}}
    for name, other in (("x", {"y": y}), ("y", {"x": x})):
        if any(row.get(f"{name}_low") is not None for row in rows):
            ends_at = {name: {"x": x, "y": y}[name] | {"field": f"{name}_low"}, f"{name}2": {"field": f"{name}_high"}}
            yield {
                "transform": [{"filter": f"isValid(datum.{name}_low)"}],
                "mark": {"type": "rule", "strokeWidth": 1.6, "opacity": 0.75},
                "encoding": {**ends_at, **other, "color": colour, **apart},
            }
    if chart.form == "lines":
        line = {"type": "line", "strokeWidth": 2}
        yield {"mark": line, "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash}}
    tips = [{"field": name, "type": "nominal", "title": title} for name, title in _tips(chart).items()]
    size = {"field": "size", "type": "quantitative", "scale": None} if chart.form == "points" else {"value": _POINT}
    points = {"type": "point", "filled": True, "opacity": 1}
    encoding = {"x": x, "y": y, "color": colour, "shape": shape, "size": size, "tooltip": tips, **apart}
    yield {"mark": points, "encoding": encoding}


def _keep_apart(chart: ReportChart, rows: Sequence[ChartSpec]) -> None:
    """Give points at one place sizes with which all are seen: one around the other, the first below."""
    ranges = []
    for name, axis in (("x", chart.x), ("y", chart.y)):
        values = [row[name] for row in rows] + [_shown(axis, end) for end in axis.span or ()]
        ranges.append((name, (max(values) - min(values)) * _CLOSE))
    for number, row in enumerate(rows):
        above = [
            one
            for one in rows[number + 1 :]
            if one["panel"] == row["panel"] and all(abs(one[name] - row[name]) <= close for name, close in ranges)
        ]
        row["size"] = _POINT + _LARGER * len(above)


def _height(chart: ReportChart, several: bool) -> int:
    if chart.form != "dots":
        return _PANEL if several else _HEIGHT
    names = len({mark.y for mark in chart.marks if isinstance(mark.y, str)})
    return names * max(_ROW, 13 * len({mark.series for mark in chart.marks}))


def _encoding(chart: ReportChart, name: str, axis: ChartAxis) -> ChartSpec:
    values = [getattr(mark, name) for mark in chart.marks]
    if values and isinstance(values[0], str):
        order = list(dict.fromkeys(values))
        return {"field": name, "type": "nominal", "title": None, "sort": order, "axis": {"labelAngle": 0}}
    title = f"{axis.title} (%)" if axis.unit == "%" else axis.title
    domain = {"domain": [_shown(axis, end) for end in axis.span]} if axis.span and axis.unit else {"zero": False}
    scale = domain | {"nice": False, "padding": _MARGIN}
    return {"field": name, "type": "quantitative", "title": title, "scale": scale}


def _row(chart: ReportChart, mark: ChartMark) -> ChartSpec:
    row: ChartSpec = {"series": mark.series, "panel": mark.panel}
    for name, axis, value in (("x", chart.x, mark.x), ("y", chart.y, mark.y)):
        if isinstance(value, Estimate):
            row[name] = _shown(axis, value.value)
            row[f"{name}_low"], row[f"{name}_high"] = _shown(axis, value.low), _shown(axis, value.high)
            column = TableColumn(axis.title, axis.unit, axis.decimals)
            row[f"{name}_told"] = " ".join(filter(None, written(value, column)))
        else:
            row[name] = row[f"{name}_told"] = value
    return row


def _tips(chart: ReportChart) -> Mapping[str, str]:
    return {"series": chart.series, "x_told": chart.x.title, "y_told": chart.y.title}


def _shown(axis: ChartAxis, value: float | None) -> float | None:
    return None if value is None else 100 * value if axis.unit == "%" else value


_TEXT: ChartSpec = {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12}
_CONFIG: ChartSpec = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": _INK, "strokeOpacity": 0.25},
    "axis": {
        **_TEXT, "domainColor": _INK, "tickColor": _INK, "gridColor": _INK, "gridOpacity": 0.12,
        "titleFontWeight": 500, "labelLimit": 360,
    },
    "legend": {
        **_TEXT, "labelLimit": 300, "symbolOpacity": 1, "orient": "bottom", "direction": "horizontal", "columns": 3,
    },
    "header": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 13, "labelFontWeight": 600},
}  # fmt: skip
