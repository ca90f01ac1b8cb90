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
