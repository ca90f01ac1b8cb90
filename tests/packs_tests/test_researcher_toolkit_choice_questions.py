"""The decoder toolkit of the Researcher: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING = {
    "tolerance": [
        "Within what margin does a claim count as reproduced?",
        "How close does our re-run have to be to the claimed WER?",
        "What tolerance should I use when comparing claims with re-runs?",
        "Tell me how large a gap is still acceptable.",
        "Should a 5 % gap still count as reproduced?",
        "At what deviation from the README's figure do you call a claim not reproduced?",
        "Which gap is near enough for you: 3 %, 5 %, 10 %?",
        "How strict are you with claims: within 2 % or within 10 %?",
        "What threshold decides whether a claim is reproduced?",
        "I'd call a claim confirmed within 5 % relative, unless you'd rather have another limit?",
        "Please specify the maximum gap for a claim to count as replicated.",
        "How much worse than claimed may a re-run be before it counts as not reproduced?",
        "Do you want a relative tolerance of 5 %, or something tighter?",
        "When does a claim hold up for you, percent-wise?",
        "How near is near enough for a claim?",
    ],
    "contact": [
        "Who should get the mail?",
        "Whom should I inform about the new toolkit?",
        "Who is the right person to tell?",
        "Should the email go to Tomasz or to Priya?",
        "To whom do I send the mail about the pin?",
        "Tell me who needs to know about the switch.",
        "Which colleague do I notify?",
        "Is Tomasz the one to be told, or Wei-Lin?",
        "Who is the recipient of the mail?",
        "I can write to Priya or to the whole group; who should hear of it?",
        "Please say who the email should be addressed to.",
        "Do you want me to mail Tomasz, or somebody else?",
        "The mail: to Jonas, Priya or Tomasz?",
        "Who hears about the decision?",
        "Which person should I let know?",
    ],
    "pin-term": [
        "How long does the new pin hold?",
        "Until when is the version pinned?",
        "What date goes into the until column of pins.csv?",
        "For how many weeks should the pin be valid?",
        "Tell me how long we stay on this version.",
        "When should the pin expire?",
        "Which until date do you want for the new pin?",
        "Does the pin hold for a month, or longer?",
        "How long is the toolkit frozen?",
        "What period should the pin cover, four weeks or until summer?",
        "I'd let the pin run until the end of April, unless you'd rather have another date?",
        "Please give me the last day of the pin.",
        "By which date do we revisit the pin?",
        "Do you want the version locked for a quarter, or a shorter term?",
        "Pin duration: two weeks or two months?",
    ],
    "licence": [
        "Which licences are acceptable?",
        "Is a copyleft licence a problem for us?",
        "Does a research-only licence rule a toolkit out?",
        "Tell me which licence kinds are out.",
        "Should I exclude everything under a registration-bound licence?",
        "Can we use copyleft code on the devices?",
        "Does Annex D bar copyleft?",
        "Are non-commercial licences fine?",
    ],
    "unmaintained": [
        "After how many months without a release is a toolkit unmaintained?",
        "How old may the last release be?",
        "Does a release candidate count as a release?",
        "When do you consider a project abandoned?",
        "Tell me what makes a toolkit unmaintained for you.",
        "Is a project with no release for a year out?",
        "How recent must the last release be?",
        "What is the cutoff for stale projects, in months?",
    ],
    "export": [
        "Is a missing streaming export a reason to exclude a toolkit?",
        "Must it support SEF export?",
        "Does a broken streaming export rule it out?",
        "Do you need streaming export to work now?",
        "Should a toolkit without SEF export be out?",
        "Tell me whether streaming export is mandatory.",
    ],
    "re-runs": [
        "Which runs count for the mean?",
        "Should I exclude the warm-up runs?",
        "Do the killed runs count?",
        "What do I do with the h07 rows, drop them or keep them?",
        "Tell me which repeats to include.",
        "Should the runs of the older version be left out?",
    ],
    "decimals": [
        "How many decimals do you want in the table?",
        "With what precision should I give the error rates?",
        "Should the WER be rounded to one digit?",
        "Tell me how many digits the table should show.",
        "Two decimals or one?",
    ],
    "bottom-line": [
        "Should the decision be at the top of the note or at the end?",
        "Where in the note do you want the conclusion?",
        "Does the decision come first, or after the table?",
        "Tell me where the verdict should stand.",
        "Do you prefer the recommendation up front?",
        "What order do you like: decision first or figures first?",
    ],
    "fallback": [
        "What should I say about the fallback?",
        "Does the fallback need a name or a date?",
        "Who would switch back if it goes wrong, and should the fallback say so?",
        "Do you want a plan B with an owner in the note?",
        "Should the backup toolkit be listed with a deadline?",
        "Tell me what a fallback has to include.",
    ],
    "config": [
        "Should I update decoder.yaml as well?",
        "Do you want the config file changed too?",
        "Shall I switch the toolkit in decoder.yaml, or leave it?",
        "Tell me whether to touch the configuration.",
        "Is decoder.yaml to be adjusted in the same go?",
    ],
    "old-pin": [
        "What do I do with mizzen's row in pins.csv?",
        "Should the old pin be closed or removed?",
        "Do I mark the row of mizzen as ended?",
        "Tell me what happens to the old entry in pins.csv.",
        "Shall I keep the existing pin's row?",
    ],
}
BESIDE = [
    "Is there anything else I should know?",
    "Where is the log of the re-runs?",
    "Do you want a summary of the candidates?",
    "Shall I send it before lunch?",
    "Which chunk size do we deploy?",
    "Should the note be in British English?",
    "What should the note's file be called?",
    "Who re-ran the candidates?",
    "Did Jonas finish reading?",
    "Is beam 4 still right?",
    "What is the topic of the paper?",
    "Should I read the change logs too?",
    "Does the note need a title?",
    "Is quay-clean of interest?",
    "Should the table list all seven candidates?",
    "Do you want real-time factors in the table?",
    "When is lunch?",
    "Has Amara seen the candidates?",
    "Which node was slow?",
    "Is the crash of the second stream known?",
    "Could you check the note?",
    "What is the budget for the box?",
    "Why did we choose these seven?",
    "Shall I rewrite the README?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(30):
        found |= {intent.name: intent.asked for intent in pack.instantiate("04-toolkit-choice", variant).intents}
        if len(found) == len(ASKING):
            break
    return found


def hits(question: str) -> set[str]:
    return {name for name, one in pool().items() for clause in asking_clauses(question) if one.matches(clause)}


def test_the_table_covers_the_pool() -> None:
    assert set(pool()) == set(ASKING)


@pytest.mark.parametrize("name", ASKING)
def test_a_targeted_question_is_heard(name: str) -> None:
    heard = [question for question in ASKING[name] if name in hits(question)]
    assert len(heard) >= 0.8 * len(ASKING[name]), sorted({*ASKING[name]} - {*heard})


@pytest.mark.parametrize("name", ASKING)
def test_a_question_for_something_else_is_not_taken_for_it(name: str) -> None:
    others = [question for other, found in ASKING.items() if other != name for question in found] + BESIDE
    wrong = [question for question in others if name in hits(question)]
    right = [question for question in ASKING[name] if name in hits(question)]
    assert len(right) >= 0.9 * (len(right) + len(wrong)), wrong
