"""Pages that a work makes wrong, and how each is seen to: the counterpart of the facet `seen_to`."""

from __future__ import annotations

from collections.abc import Sequence

from pi_gym.authoring.handed import Change


def see_to(
    how: str | None,
    old: str | Sequence[str],
    new: str | Sequence[str] = "",
    *,
    around: str = "{}",
    mark: str = "",
    below: str = "",
    end: str = "",
) -> Change | None:
    r"""The change that sees to a page in one way; None where no way is known.

    Args:
        how: "mended" (the new in place of the old), "struck" (the old struck through, the new behind it), "marked" (a
            mark behind the old), "line" (the old stays, and a line says the new), "gone" (nothing is left of it).
        old: what stands there; a list where several places are seen to.
        new: what is right; a list then, in their order.
        around: the text, with {} for the old, that stands once in the page, and that goes where the old is "gone".
        mark: what "marked" puts behind the old.
        below: what "line" puts right behind `around`.
        end: what "line" puts at the end of the page.

    Raises:
        ValueError: there is no such way.

    >>> see_to("struck", "12 %", "14 %", around="urea {}").replace
    {'urea 12 %': 'urea ~~12 %~~ 14 %'}
    >>> see_to("line", "May", around="- {} is here\n", below="- June from now on\n").replace
    {'- May is here\n': '- May is here\n- June from now on\n'}
    """
    if how is None:
        return None
    pairs = [(old, str(new))] if isinstance(old, str) else [*zip(old, new or [""] * len(old), strict=True)]
    if how == "line":
        return Change({around.replace("{}", was): around.replace("{}", was) + below for was, _ in pairs if below}, end)
    if how == "gone":
        return Change({around.replace("{}", was): "" for was, _ in pairs})
    put = {"mended": "{new}", "struck": "~~{old}~~ {new}", "marked": "{old} {mark}"}.get(how)
    if put is None:
        raise ValueError(f"expected mended, struck, marked, line or gone, got {how!r}")
    return Change(
        {
            around.replace("{}", was): around.replace("{}", put.format(old=was, new=now, mark=mark).rstrip())
            for was, now in pairs
        }
    )
