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
    "13-related-work": {
        "evidence": [
            "Which evidence should the third column show, real rooms, code or device?",
            "What kind of evidence counts first for you?",
            "Should the evidence column be about real-room recordings?",
            "Is it released code or real rooms that matters most in the table?",
            "Tell me which evidence goes into the column.",
            "Do real-room recordings still count first?",
            "Which evidence do I name in the head of the column?",
            "Amara wants one kind of evidence: which is it?",
        ],
        "venue-order": [
            "In which order should the rows of the table stand?",
            "Do journal articles go first in the table?",
            "Should I sort the table by venue, journals first?",
            "Which rows come first, journals or conferences?",
            "Tell me how to order the works in the table.",
            "Conference papers before journal articles, or the other way round?",
            "Which venues should come first?",
        ],
        "gain-form": [
            "Should the gains be relative or in points?",
            "In which form do you want the gains: per cent, points, or both error rates?",
            "Do I give the gain as relative reduction or as absolute points of WER?",
            "Tell me how to express the gains.",
            "Is the improvement to be given in percentage points?",
            "Which form of gain do we use for other people's papers?",
            "Should the figures be per cent relative or both rates?",
        ],
        "follow-scale": [
            "In what do you write the follow-up steps in annote: stars, letters or verbs?",
            "Which scale should the annote fields use?",
            "Should the steps be stars or letters?",
            "How do you mark follow-up?",
            "Tell me which notation goes into annote.",
            "Do you still use stars for follow-up?",
            "Which symbols do you use for the three steps?",
        ],
        "reviewer-papers": [
            "Should I keep all of reviewer 3's papers?",
            "What should I do with the four papers by Strand?",
            "Do you want to cite the Strand papers at all?",
            "Reviewer 3 demands four citations: keep them, drop them, or cite only the survey?",
            "Shall I drop the Strand citations?",
            "Tell me whether to keep the reviewer's papers.",
            "Do we cite all four papers that reviewer 3 asked for, or just the survey?",
            "How should I handle reviewer 3's list?",
            "Would you rather cite only the survey by Strand?",
            "Which of reviewer 3's four papers stay?",
            "I can leave the Strand sentence as it is or remove it; which do you prefer?",
            "Are the papers that the third reviewer wants to stay in?",
        ],
        "table-place": [
            "Where in the section should the table go?",
            "Should the table be input before the text or after it?",
            "Do you want the table at the beginning or at the end of the section?",
            "Where shall I place the table?",
            "Does the table come before or after the text?",
            "Tell me where to input the table.",
            "Should I put the \\input at the start of the section?",
            "What position should the table have in the section?",
            "Table first or text first?",
            "I'd put the table at the end of the section, unless you'd rather have it at the start?",
            "Is the table to precede the text?",
            "At which place in the section do I input the table?",
        ],
        "wrong-claims": [
            "Where the draft contradicts the notes, should I correct the sentence?",
            "Should I trust the notes over the draft?",
            "Do I fix the claims that the notes contradict?",
            "May I correct the wrong figure in the draft?",
            "Should I update the sentences that are wrong?",
        ],
        "doubles": [
            "Two works are in refs.bib twice: which key should stay?",
            "Which of the two entries do I keep?",
            "Should I remove the duplicates from the bibliography?",
            "Should I merge the double entries?",
            "Which key do you want to keep for Eide?",
        ],
        "appeared": [
            "Should I cite the published version of Soltani and Wirth?",
            "Do I update the soltani2024 entry to the journal version?",
            "Shall I replace the preprint of Soltani by the article?",
            "Should soltani2024 be changed now that it has appeared?",
            "Do you want the entry updated now that it is in print?",
        ],
        "least-runs": [
            "How many training runs must a work have to be in the table?",
            "Should works with a single run be left out of the table?",
            "Which works should the table include?",
            "What is the minimum number of runs?",
            "Do works with fewer than three runs belong in the table?",
            "Should Kessler be in the table with one run?",
            "Is the limit two or three runs?",
        ],
        "condition": [
            "Which condition should the gains be from?",
            "Babble or traffic for the gains?",
            "Should the table use babble at 5 dB?",
            "Do I report the gains in traffic?",
            "Which noise condition goes into the table?",
            "Tell me which condition to use.",
        ],
        "third-person": [
            "Should I cite our own earlier work in the third person?",
            "How do I refer to Lindqvist et al. under double blind?",
            "Should our earlier work be anonymised?",
            "Do you want your own paper cited in the third person?",
            "How should I phrase the self-citation?",
            "Do we keep the self-citation?",
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
    "13-related-work": [
        "Is there anything else I should know?",
        "When does Amara begin to read?",
        "Shall I send Amara the section?",
        "Should I compile the PDF?",
        "Do you want British or American spelling?",
        "May I touch method.tex?",
        "Is the page limit six pages?",
        "Should I answer the reviewers as well?",
        "Are you still in the booth?",
        "Shall I add a caption?",
        "Do you want a list of what I changed?",
        "Has Priya finished the evaluation?",
        "Should I thank Hanne?",
        "Do you want booktabs rules in the table?",
        "Is the title settled?",
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
