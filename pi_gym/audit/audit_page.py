"""The page on an audit's outcome, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pi_gym.audit.comparison import Audit, Complaint
from pi_gym.markdown_text import plain_markdown, table_lines
from pi_gym.runs.intervals import Interval


def audit_page(audit: Audit, titles: Mapping[str, str]) -> str:
    """The outcome for reading.

    Args:
        audit: the outcome.
        titles: of measures, by name.
    """
    return "\n".join(_lines(audit, titles)).rstrip() + "\n"


def _lines(audit: Audit, titles: Mapping[str, str]) -> Iterator[str]:
    yield "# Rules and judges"
    yield ""
    yield (
        f"Sessions: {audit.sessions}; judged: {audit.judged}, by two or more: {audit.judged_twice}."
        f" Judges: {', '.join(map(plain_markdown, audit.judges))}."
    )
    if audit.unsettled:
        yield f"Judgements of the rules that are not settled, and compared with nothing: {audit.unsettled}."
    yield "Brackets: 95 % intervals, drawn anew over sessions."
    yield from _table("Apart", ("judgement", "between", "compared", "apart", "Cohen's kappa"), _apart_rows(audit))
    for kind, tables in audit.found.items():
        for between, found in tables.items():
            if found.judged:
                head, *rows = found.rows()
                yield from _table(f"What {between} found: {kind}", head, rows)
    measures = list(dict.fromkeys(name for found in audit.groups.values() for name in found))
    heads = [titles.get(name, name) for name in measures]
    yield from _table(
        "Scores", ("group", "by", "sessions", *heads), _score_rows(audit.groups, audit.groups_judged, measures)
    )
    if audit.without_history:
        lost = ((plain_markdown(who), str(_first(found).of), *(_shown(found.get(name)) for name in measures))
                for who, found in audit.without_history.items())  # fmt: skip
        yield from _table("Lost without history, on the same tasks", ("who played", "tasks", *heads), lost)
    yield from ("", f"## Cases ({len(audit.cases)})", "")
    for one in audit.cases:
        yield f"- **{one.kind} {plain_markdown(one.name)}** in {one.session}"
        yield f"  - {plain_markdown(one.a)}: {one.found_a}. {plain_markdown(one.why_a)}"
        yield f"  - {plain_markdown(one.b)}: {one.found_b}. {plain_markdown(one.why_b)}"
    yield from _complaints("Items called unfair", audit.unfair, audit.items)
    yield from _complaints("Questions answered beside the point", audit.beside, audit.questions)
    if audit.remarks:
        yield from ("", "## Remarks", "")
        yield from (f"- {session}, {plain_markdown(judge)}: {plain_markdown(text, 2000)}"
                    for session, judge, text in audit.remarks)  # fmt: skip


def _apart_rows(audit: Audit) -> Iterator[tuple[str, ...]]:
    for kind, found in audit.apart.items():
        for between, one in found.items():
            kappa = audit.found[kind][between].kappa
            yield kind, between, str(one.of), _shown(one, 100, " %"), kappa.text()


def _score_rows(
    groups: Mapping[str, Mapping[str, Interval]],
    judged: Mapping[str, Mapping[str, Interval]],
    measures: Sequence[str],
) -> Iterator[tuple[str, ...]]:
    for group, found in groups.items():
        for who, scores in (("rules", found), ("judges", judged.get(group, {}))):
            if scores:
                yield (
                    plain_markdown(group),
                    who,
                    str(_first(scores).of),
                    *(_shown(scores.get(name)) for name in measures),
                )


def _first(found: Mapping[str, Interval]) -> Interval:
    return next(iter(found.values()))


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", *table_lines(heads, rows))


def _complaints(title: str, found: Sequence[Complaint], total: int) -> Iterator[str]:
    several = sum(len(one.judges) > 1 for one in found)
    yield from ("", f"## {title}: {len(found)} of {total}, {several} by two or more", "")
    for one in found:
        yield f"- **{plain_markdown(one.name)}** in {plain_markdown(one.where)} ({', '.join(one.judges)})"
        yield from (f"  - {plain_markdown(why)}" for why in one.whys)


def _shown(one: Interval | None, times: int = 1, unit: str = "") -> str:
    if one is None or one.value is None:
        return "-"
    value, low, high = (
        None if figure is None else f"{times * figure:.{1 if times > 1 else 3}f}"
        for figure in (one.value, one.low, one.high)
    )
    return f"{value}{unit}" if low is None else f"{value}{unit} ({low} to {high})"
