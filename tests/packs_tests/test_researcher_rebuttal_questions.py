"""Task 17-rebuttal: which questions its intents hear."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from pi_gym import load_pack
from pi_gym.questions import asking_clauses

ASKS: dict[str, str] = {
    "table-format": """
        Should the table be a Markdown, a CSV or a LaTeX file?
        Which format do you want for the table?
        Markdown or LaTeX?
        In what file format shall I save the results table?
        Do you prefer CSV for the table?
        Is a LaTeX table fine as the attachment?
        Tell me the file type for the table.
        Shall I write the table in Markdown again?
        What format should the attached table have?
        Do you want the numbers as CSV or as a tabular?
    """,
    "decimals": """
        How many decimals do you want in the table?
        Should the figures have one or two decimals?
        To how many digits shall I round?
        What precision should the means have?
        One decimal or two?
        Tell me the number of decimal places.
        Do I round to two decimals?
        How precise should the error rates be?
        Which rounding do you want?
        Are two digits after the point fine?
    """,
    "spread": """
        Which spread do you want behind the means?
        Standard deviation, standard error or range?
        Should I give the standard deviation over seeds?
        What measure of variability goes next to the mean?
        Do you want the min-max range beside each mean?
        Tell me which error bar to use.
        Shall I report mean plus standard error?
        Is the sample standard deviation what you want after the mean?
        How should the uncertainty over seeds be shown?
        Mean alone or with a spread?
    """,
    "naming": """
        What should the table's file be called?
        How do you want the attachment named?
        Which file name shall I use for the table?
        Tell me what to call the results file.
        Should the file be named with the date first?
        Under what name do I save the table?
        What is the naming convention for result files?
        Shall I call it 2026-04-01_ablations?
        Does the filename of the table carry the date?
        How are files with results named here?
    """,
    "lead": """
        Which ablation should the response open with?
        Should I lead with no-carry, short-look or long-look?
        Which ablation carries the paper?
        Which result do you want at the start of the response?
        Tell me which ablation comes first.
        Shall I open with the one without the carried state?
        What ablation should I put in front for the chair?
        No-carry or long-look as the opening?
        The chair wants one ablation up front: which one do you pick?
        Which of the three experiments should be highlighted at the top?
        Do you want the lookahead or the carried state as the headline?
    """,
    "analysis": """
        Does Section 5.3 stay in the main text or move to the appendix?
        Should the error analysis go to the appendix?
        Where do you want the error analysis?
        Reviewer 1 wants 5.3 in the appendix, reviewer 4 wants it to stay. Whom do we follow?
        Shall I keep the error analysis in the main paper?
        Main text or appendix for 5.3?
        Tell me whether 5.3 stays in.
        Do we move the error analysis out, as reviewer 1 asks?
        Is Section 5.3 to remain where it is?
        Do we side with reviewer 1 or with reviewer 4?
    """,
    "refuted": """
        Is reviewer 2 right about the latency?
        How should I answer point 2.1?
        Should I refute the latency claim with Table 2?
        Which latency figure is correct, 320 or 630 ms?
        Do we concede the point about the algorithmic latency?
        Shall I contradict reviewer 2 on the latency?
        Tell me whether the latency in the review is wrong.
        Is the latency that reviewer 2 gives a misreading of Table 2?
        Do you want me to rebut 2.1 outright?
        Does Table 2 give the right latency?
    """,
    "promises": """
        What may we promise to release?
        Which of the three can be released: code, lists or weights?
        Can we promise the training code?
        Should I promise the listening study?
        May the trained weights go out?
        What do I answer to 4.2, what is released?
        Tell me what we are allowed to publish.
        Is the release of the mixing lists cleared by Veltra?
        Do we commit to a listening study?
        Which promises of the draft should I keep?
    """,
    "citations": """
        Which of the three papers do we cite?
        Should I cite Ferrand, Ostrova and Quist?
        Do we add all three citations that reviewer 3 asks for?
        Is the Quist paper worth a citation?
        What do we do about point 3.1?
        Should the chair be told about the demand for citations?
        Tell me which of the references to include.
        Do we grant reviewer 3 all three papers?
        Shall I discuss Ferrand in related work?
        Who should read what we think of the citation demand, only the chair?
    """,
    "spelling": """
        British or American spelling?
        Which spelling should the response have?
        Should I write the response in British English?
        Do you want American spelling as in the paper?
        Tell me which spelling to use.
        Is UK spelling what you want?
        Shall I use the paper's spelling?
        What spelling does the paper use?
        Should the English be American?
        Does the response follow British spelling?
    """,
}

OTHER_QUESTIONS: dict[str, str] = {
    "table-format": """
        How many decimals do you want?
        What should the file be called?
        Which ablation opens the response?
        Should 5.3 go to the appendix?
        Which spelling?
        Is there anything else?
    """,
    "decimals": """
        Should the table be CSV?
        Which spread do you want?
        Which latency is right?
        Do we cite Quist?
        How many seeds are there?
    """,
    "spread": """
        How many decimals do you want?
        Should I lead with the shorter lookahead?
        Does the beam-16 run count?
        Which of the papers do we cite?
        Main text or appendix?
    """,
    "naming": """
        Should the response name the lab?
        Which format should the table have?
        Should I name the three papers?
        Which spelling do you want?
        Which ablation comes first?
    """,
    "lead": """
        Does 5.3 stay?
        Which runs of the ablation count?
        Who leads the rebuttal?
        How many decimals in the table of the ablations?
        Which papers do we cite?
        When is the deadline?
    """,
    "analysis": """
        Which ablation comes first?
        Which of the runs count?
        Should the table go into the response?
        What may be released?
        Is reviewer 2 right about the latency?
    """,
    "refuted": """
        Does 5.3 stay in the main text?
        Which ablation should the response open with?
        How many seeds are right, three or five?
        Which citation is fair?
        How many decimals?
    """,
    "promises": """
        Which papers do we cite?
        Where does 5.3 go?
        Which ablation opens?
        Is the table a CSV?
        When is the deadline?
    """,
    "citations": """
        What may be released?
        Which ablation should open the response?
        Does 5.3 stay?
        Which spelling do you want?
        Should the chair get the table?
    """,
    "spelling": """
        Should the numbers be spelt out?
        How many decimals?
        Which format?
        Should I spell out the abbreviations?
    """,
}


def lines_of(texts: str) -> list[str]:
    return [line.strip() for line in texts.splitlines() if line.strip()]


@lru_cache(maxsize=1)
def pool() -> dict[str, Any]:
    """Every intent of the task, from the first variant that has it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(25):
        found |= {one.name: one for one in pack.instantiate("17-rebuttal", variant).intents if one.name not in found}
        if len(found) == len(ASKS):
            break
    return found


@pytest.mark.parametrize("name", ASKS)
def test_questions_that_people_would_ask_are_heard_by_their_intent_alone(name: str) -> None:
    assert set(pool()) == set(ASKS)
    for text in lines_of(ASKS[name]):
        clauses = asking_clauses(text)
        heard = {other for other, intent in pool().items() if any(map(intent.asked.matches, clauses))}
        assert heard == {name}, text


@pytest.mark.parametrize("name", OTHER_QUESTIONS)
def test_questions_nearby_are_not_heard(name: str) -> None:
    for text in lines_of(OTHER_QUESTIONS[name]):
        assert not any(map(pool()[name].asked.matches, asking_clauses(text))), text
