"""Charts of arrows between sessions as pictures: browsers draw Mermaid only with a program from outside."""

from __future__ import annotations

import re
from html import escape

_ARROW = re.compile(r'\w+\["([^"]+)"\] -- (\w+) --> \w+\["([^"]+)"\]')
#: Pixels from one line to the next, and of a letter.
_LINE, _LETTER = 26, 7.4


def chart(fence: str) -> str:
    """The picture of a fence of Mermaid: the sessions one below the other, and arrows with their counts beside them."""
    arrows = _ARROW.findall(fence)
    names = sorted({name for begin, _, end in arrows for name in (begin, end)})
    if not arrows:
        return fence.replace("```mermaid", "```text", 1)
    left = 8 + _LETTER * max(map(len, names))
    heights = {name: 20 + _LINE * place for place, name in enumerate(names)}
    parts = [
        f'<text x="{left - 8:.0f}" y="{height + 4}" text-anchor="end">{escape(name)}</text>'
        for name, height in heights.items()
    ]
    widest = 0.0
    for begin, count, end in arrows:
        low, high = heights[begin], heights[end]
        bow = 14 + 0.42 * abs(high - low)
        side, middle = left + 0.75 * bow + 4, (low + high) / 2 + 4
        widest = max(widest, bow)
        parts.append(
            f'<path d="M{left:.0f} {low} C{left + bow:.0f} {low} {left + bow:.0f} {high} {left:.0f} {high}"'
            f' marker-end="url(#to)"/><text x="{side:.0f}" y="{middle:.0f}">{escape(count)}</text>'
        )
    told = escape("; ".join(f"{begin} to {end}: {count}" for begin, count, end in arrows), quote=True)
    size = f'viewBox="0 0 {left + widest:.0f} {_LINE * len(names) + 14}"'
    arrow = '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    arrow += '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    return f'<svg class="arrows" role="img" aria-label="{told}" {size}>{arrow}{"".join(parts)}</svg>\n'
