"""The meaning of each check for an author, and what mends it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By check, what its failure means and what to do; measured checks have none.
ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "reference": "The model solution does not do the task: either it forgets something, or right() gives what"
        " `sound` or a facet does not take.",
        "untouched": "Something passes although nothing was done. An item must look at what is handed in; a guard (what"
        " must stay as it is) says with `requires` which item it counts with.",
        "questions": "A wish that only she knows cannot be asked for, or a question is taken for another. Look at the"
        " wish's entry in questions.yaml: `pi-gym questions PACK TASK` says which words are missing.",
        "step removal": "A step of the solution changes nothing that is judged. Drop the step, or let an item look at"
        " what it does.",
        "stuffing": "Who pastes all wishes into the files passes. Give the result a `sound` that only real work meets:"
        " an aspect of its content, not words alone.",
        "repetition": "Who says that all is done passes. As with stuffing: `sound` asks too little.",
        "dump": "Who copies the workspace passes. As with stuffing: `sound` asks too little.",
        "shotgun": "All guesses side by side pass. A facet must refuse a result that has the right thing beside wrong"
        " ones: use an aspect, `chooses` or `lacks`, not `names`.",
        "blind shotgun": "All combinations of guesses side by side pass. As with the shotgun.",
        "damage": "A file or row that nobody should touch was destroyed, and no guard saw it: `may_change` is too wide,"
        " or a changed file lacks `keeps` in its `sound`.",
        "leaks": "What is hidden stands in something that the agent sees.",
        "secrecy": "The files, rows or the request tell what only she should know. Take it out, or say where it is"
        " `told`.",
        "recovery": "The sentence that `told` names does not stand there word by word (line breaks and capitals aside),"
        " or the solution needs what only an earlier session produced.",
        "memory": "An agent that looks up all that is told does not get it right, or nothing is lost without the past."
        " See which wish is not told.",
        "wrong beliefs": "Work for another value of the wish passes for the right one: the facet does not see the"
        " difference, or right() does not make one.",
        "undrawn values": "A wish that this world does not hold changes a verdict. An item looks at it: let the item be"
        " `for` that wish, or look at less.",
        "declined": "Who does it after her no passes, or who heeds her fails. Look at what the wish `holds`: it must"
        " be missing in what is right without the wish, and be there once it is done.",
        "same bytes": "The same variant is not the same when it is made again: something in right.py depends on more"
        " than its arguments.",
        "shell": "A command of the solution does something else than it declares.",
        "variety": "All variants hold the same wishes or values: widen `draw`, or give wishes more values.",
        "other ways": "A way of ways.yaml is not judged as it says. If the way is right, the facet is too narrow; if it"
        " is wrong, too wide; or the way itself is.",
        "own facets": "Who takes one wish for another misses more than that wish. Let right() change only what the wish"
        " is about, use a narrower facet, or say with `for: [wish]` that the item goes with it.",
        "consistency": "Two places of the world contradict each other.",
        "form": "The task is not built as the standards ask: so many wishes in the pool, drawn, and items.",
    }
)
