"""The page on a calibration's outcome, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_gym.calibration.calibration_outcome import Calibration, per_request_s
from pi_gym.markdown_text import plain_markdown, table_lines
from pi_gym.runs.confusion import Confusion

#: The heads of the table by kind of decision.
HEADS = ("decision", "role", "trials of", "decisions", "agreement", "Cohen's kappa")
MEANT_HEADS = ("decision", "trials of", "decisions", "rules: as meant", "kappa", "model: as meant", "kappa")
COST_HEADS = ("role", "answers", "kept before", "requests", "retries", "tokens in", "tokens out", "s a request")


def agreement_rows(found: Calibration, *, origins: bool) -> list[list[str]]:
    """The table by kind of decision.

    Args:
        found: the outcome.
        origins: with a row for each origin of trials beside.
    """
    rows = []
    for kind, role in found.kinds:
        rows.append([kind, role, "all", *_figures(found.confusion(kind))])
        if origins:
            rows += [["", "", origin, *_figures(found.confusion(kind, origin))] for origin in found.origins(kind)]
    return rows


def meant_rows(found: Calibration, *, origins: bool) -> list[list[str]]:
    """The table of how far rules and model decide as writers meant it; empty where none said.

    Args:
        found: the outcome.
        origins: with a row for each origin of trials beside.
    """
    rows = []
    for kind, _ in found.kinds:
        named = [("all", None), *((one, one) for one in found.origins(kind) if origins)]
        for name, origin in named:
            rules, model = found.as_meant(kind, origin)
            if rules.judged:
                rows.append([kind if origin is None else "", name, *_figures(rules), *_figures(model)[1:]])
    return rows


def cost_rows(found: Calibration) -> list[list[str]]:
    """The table of what was asked of served models, by role."""
    rows = []
    for role, one in found.usage.items():
        seconds = per_request_s(one)
        counts = (one.answers, one.cache_hits, one.requests, one.retries, one.prompt_tokens, one.completion_tokens)
        rows.append([role, *map(str, counts), "-" if seconds is None else f"{seconds:.2f}"])
    return rows


def calibration_page(found: Calibration) -> str:
    """The outcome for reading."""
    return "\n".join(_lines(found)).rstrip() + "\n"


def _lines(found: Calibration) -> Iterator[str]:
    models = ", ".join(f"{role} {plain_markdown(str(one['model']))}" for role, one in found.models.items())
    yield f"# Rules and models: {plain_markdown(found.env_id)}, {models}"
    yield ""
    yield f"Trials: {len(found.trials)}; unscored, and in no figure: {len(found.unscored)}. {found.elapsed_s:.0f} s."
    yield f"Worlds: {'; '.join(map(plain_markdown, found.settings['worlds']))}."
    yield "Brackets: 95 % intervals, over trials."
    yield from _table("Agreement", HEADS, agreement_rows(found, origins=True))
    if meant := meant_rows(found, origins=True):
        yield from _table("What writers meant, and what was decided", MEANT_HEADS, meant)
    for kind, _ in found.kinds:
        head, *rows = found.confusion(kind).rows()
        yield from _table(f"Rules (rows) and model: {kind}", head, rows)
    if found.usage:
        yield from _table("Cost", COST_HEADS, cost_rows(found))
    yield from ("", f"## Unscored ({len(found.unscored)})", "")
    yield from (f"- {plain_markdown(one.id)}: {one.error_kind}: {plain_markdown(one.error)}" for one in found.unscored)
    yield from ("", "## Where they differ", "")
    for trial in found.scored:
        for one in trial.pairs:
            if one.rules != one.model:
                yield f"- **{one.kind} {plain_markdown(one.name)}** in {plain_markdown(trial.id)}"
                yield f"  - {plain_markdown(one.words, 600)}" if one.words else "  - (no words)"
                if one.meant:
                    yield f"  - meant: {one.meant}"
                yield f"  - rules: {one.rules}. {plain_markdown(one.why_rules)}"
                yield f"  - {one.role}: {one.model}. {plain_markdown(one.why_model)}"


def _figures(one: Confusion) -> tuple[str, str, str]:
    share = one.agreement
    shown = "-" if share.value is None else f"{100 * share.value:.1f} %"
    if share.low is not None and share.high is not None:
        shown += f" ({100 * share.low:.1f} to {100 * share.high:.1f})"
    return str(one.judged), shown, one.kappa.text()


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", *table_lines(heads, rows))
