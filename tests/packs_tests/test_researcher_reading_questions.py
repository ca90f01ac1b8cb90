"""The Researcher's reading tasks: which questions ask for which of their intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING: dict[str, dict[str, list[str]]] = {
    "02-accepted-papers": {
        "evidence": [
            "Which evidence counts first: recordings from real rooms, released code, or latency on a device?",
            "What should earn a paper a place under Read?",
            "Do real-room recordings matter more to you than released code?",
            "Tell me which kind of evidence you want this year.",
            "By what criterion do I split the papers between Read and Skim?",
            "Should papers with released code go under Read?",
            "What puts a paper in the Read section: code, measured latency or real recordings?",
            "I can put the ones with working code first, or those with real-room recordings. Which do you prefer?",
            "Last year's list says Read means it has the evidence you wanted. What evidence do you want now?",
            "Is it reproducibility (code) or on-device latency that decides?",
            "Which of these weighs most for you: real recordings, code, or device latency?",
            "Please let me know what qualifies a paper for Read rather than Skim.",
            "What separates Read from Skim this year?",
            "Do you prioritise papers with code, or ones evaluated on real-room recordings?",
            "I'd put papers with code under Read, unless you'd rather go by real-room recordings?",
        ],
        "venue-order": [
            "Should the journal papers come before the conference papers?",
            "Journal track first or main track first?",
            "In which order do you want the papers within each section?",
            "Do you read journal articles before conference ones?",
            "How should I sort the lines in each section?",
            "There is a journal track: should those papers lead the list?",
            "Tell me whether SSJ papers go on top.",
            "Which come first within Read, journal or conference papers?",
            "Do you want the journal-track papers mixed in with the rest or placed first?",
            "Should I rank the journal-track papers ahead of the main ones?",
            "Would you like conference papers listed before the journal ones?",
            "What order should the entries be in?",
        ],
        "priyas-topic": [
            "Should I leave out what Priya reads?",
            "Do papers on endpointing belong on the list?",
            "Which topics are in scope?",
            "Should I include papers about evaluation test sets?",
            "Do you want the endpointing papers, or does Priya cover those?",
            "Which subject areas should I leave off?",
            "Tell me which topics to skip.",
            "Are Priya's papers to be excluded?",
            "Should on-device recognition papers stay on the list?",
            "Is there any topic I should leave to Priya?",
        ],
        "microphones": [
            "How many microphones may a paper need?",
            "Should multi-microphone papers stay out?",
            "Do papers with arrays count?",
            "What is the maximum number of microphones?",
            "Shall I include the ones with four microphones?",
            "Tell me up to how many channels a paper is relevant.",
            "Should I drop papers that use microphone arrays?",
            "Are binaural systems with two mics in?",
            "Do you only want single-channel work?",
            "Is a four-microphone collar of any interest?",
        ],
        "corrections": [
            "Should I leave out the withdrawn papers?",
            "Do I apply the corrections from the programme office?",
            "Which title should I use for the two exchanged ones?",
            "Do the withdrawn papers stay on the list?",
            "Shall I drop what was withdrawn?",
            "Should I use the corrected titles from the mail?",
        ],
        "one-line-each": [
            "Some papers have a second entry in the show and tell: one line or two?",
            "Should a paper that is listed twice get one line?",
            "Do I list the show and tell entries separately?",
            "How should I handle duplicates between talks and demos?",
            "Shall I merge the S and D entries of the same paper?",
            "Do the show-and-tell tables count as entries of their own?",
            "Which number should I keep for papers with two entries, S or D?",
        ],
        "known-ones": [
            "Should I leave out papers you have already read as preprints?",
            "What about the ones you have read as preprints, list or drop them?",
            "Do papers that you know already stay on the list?",
            "Shall I mark the preprints you have seen?",
            "How do I treat papers you've read before?",
            "Tell me whether I should include what you already read as a preprint.",
            "Do you want the ones you have seen before flagged?",
        ],
        "skim-length": [
            "How many papers should go under Skim?",
            "How long may the Skim section be?",
            "Is there a limit on the number of papers in Skim?",
            "At most how many lines do you want under Skim?",
            "Should I cap the Skim list?",
            "What is the maximum length of the shortlist?",
            "How many entries would you like on the shortlist?",
            "Do you want me to limit Skim to the top few?",
        ],
        "line-form": [
            "What should each line contain?",
            "Should the lines have the same format as last year's?",
            "Which details do you want per paper: authors, session, score?",
            "Do you want abstracts in the list?",
            "Should I include a summary for each paper?",
            "Shall I keep last year's line format?",
            "What layout should the entries have?",
            "Which fields go into a line?",
            "Do you want the session and score on each line?",
        ],
    },
    "05-reading-notes": {
        "follow-scale": [
            "In what do you write the follow-up steps now: stars, letters or verbs?",
            "Which notation should I use for follow-up?",
            "Should follow-up be in stars or letters?",
            "How do you mark follow-up this year, ***, A or build?",
            "Your old notes mix stars, letters and verbs. Which one is it now?",
            "Tell me which scale the follow-up marks use.",
            "What symbols do you want for the three follow-up steps?",
            "Do you prefer letters (A, B, C) or stars for the rating?",
            "Follow-up: stars, A/B/C, or a verb like build?",
            "In which form should I express the follow-up value?",
            "How shall I write the steps: as letters?",
            "Which rating scale do you use for papers?",
            "I can write *** or A or build for the top step; your pick?",
        ],
        "gain-form": [
            "How should I give the gain: relative, in points, or as both error rates?",
            "Do you want gains as relative per cent or in absolute points?",
            "In which form do you want the figure: relative reduction or points of WER?",
            "Should the gain be relative or absolute?",
            "Tell me how to express the improvements, in per cent or points.",
            "Is the gain to be stated as baseline to system, or as a percentage?",
            "Do you note relative reductions or percentage points?",
            "What unit should the gain have?",
            "Figure line: relative per cent, points, or both rates?",
            "Shall I quote the improvement in WER points?",
            "Which form of gain do you prefer, relative or both error rates?",
            "I'd give the gains in per cent relative, unless you'd rather have points?",
        ],
        "evidence": [
            "Which evidence counts first for you, rooms, code or device?",
            "Is it still real-room recordings that matter most?",
            "What evidence earns the step up?",
            "Does released code count first, or recordings from real rooms?",
            "Tell me which evidence you weigh most.",
            "Do real rooms matter more than released code?",
            "Which kind of evidence gives a step up?",
            "What counts first for you, latency measured on a device?",
        ],
        "reading-order": [
            "In which order should the new rows stand in the index?",
            "Do journal papers come first in the index?",
            "Should I sort the index by venue, journals first?",
            "Which come first, journal or conference papers?",
            "Tell me how to order the index rows.",
            "What order do you want in index.md?",
            "Do you read the conference papers before the journal ones?",
        ],
        "condition": [
            "Which condition should the figure be from?",
            "Should I quote babble or traffic?",
            "Do I take the test set or the development set?",
            "Which noise condition do you compare in?",
            "Should the figures be for the kitchen at 5 dB?",
            "Tell me which condition to report.",
            "What condition counts for the figure line?",
        ],
        "bottom-line": [
            "Where should the bottom line stand?",
            "Does the bottom line go to the top or the end?",
            "Should the bottom line come first in a note?",
            "Do you want the conclusion at the top?",
            "Tell me whether the bottom line goes last.",
            "Is the bottom line to be placed under the title?",
        ],
        "erratum": [
            "Should I use the corrected row from the mail?",
            "Do I take the corrected table 3 from the authors' mail?",
            "Which row counts, the printed one or the correction?",
            "Should the erratum's figures be used?",
            "Shall I take the figures from the erratum or as printed?",
        ],
        "single-run": [
            "What should I do with the paper that was trained once?",
            "Should a single-run figure be marked?",
            "Do you want the figure of the paper with only one training run?",
            "How do I handle results from one run?",
            "Shall I leave the figure out where there is a single training run?",
            "Do I quote a figure from a single seed?",
        ],
        "delay": [
            "Does delay include the chunk or only the lookahead?",
            "What counts as delay?",
            "Should I add chunk and lookahead?",
            "Is the delay the lookahead alone?",
            "Should I convert the lookahead frames to ms?",
            "Tell me whether the chunk is included in the delay.",
            "How do you want the delay given?",
        ],
    },
}
BESIDE: dict[str, list[str]] = {
    "02-accepted-papers": [
        "Is there anything else I should know?",
        "When does your train leave?",
        "Shall I send it to Amara as well?",
        "Do you want a printed copy?",
        "Are you presenting at Kalvik yourself?",
        "Should the file be called shortlist.md?",
        "Do you want me to book the boat?",
        "Shall I use British spelling?",
        "Has the programme office answered you?",
        "Do you want a calendar entry for the sessions?",
        "Should I write to the authors?",
        "May I overwrite last year's file?",
        "Is the score scale from one to ten?",
        "Would you like it as a PDF?",
        "Did you submit to Soundings this year?",
    ],
    "05-reading-notes": [
        "Is there anything else I should know?",
        "When is your meeting with Amara?",
        "Should I send the notes to Amara?",
        "Do you want the notes in English?",
        "May I delete the old notes?",
        "Should I add quotations with page numbers?",
        "Do you want the PDFs linked?",
        "Who else is in the meeting?",
        "Shall I remind you at half past nine?",
        "Do you know the authors of the second paper?",
        "Is the reading group tomorrow as well?",
        "Should I also note the papers that they cite?",
        "Would you like a calendar entry?",
        "How long may a claim be?",
    ],
}


@lru_cache(maxsize=4)
def pool(task: str) -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(40):
        found |= {intent.name: intent.asked for intent in pack.instantiate(task, variant).intents}
        if len(found) == len(ASKING[task]):
            break
    return found


def asked(task: str, question: str) -> set[str]:
    return {name for name, one in pool(task).items() for clause in asking_clauses(question) if one.matches(clause)}


@pytest.mark.parametrize("task", ASKING)
def test_the_table_covers_the_pool(task: str) -> None:
    assert set(pool(task)) == set(ASKING[task])


@pytest.mark.parametrize(
    ("task", "intent", "question"),
    [(task, name, one) for task, pools in ASKING.items() for name, many in pools.items() for one in many],
)
def test_a_question_asks_for_its_intent_alone(task: str, intent: str, question: str) -> None:
    assert asked(task, question) == {intent}


@pytest.mark.parametrize(("task", "question"), [(task, one) for task, many in BESIDE.items() for one in many])
def test_what_is_beside_the_point_asks_for_nothing(task: str, question: str) -> None:
    assert asked(task, question) == set()
