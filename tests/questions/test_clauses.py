from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.questions.clauses import MAX_CLAUSE_CHARS, MAX_CLAUSES, MAX_CONTEXT_CHARS, asking_clauses


def texts(reply: str) -> list[str]:
    return [clause.text for clause in asking_clauses(reply)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Which metric decides?", ["Which metric decides?"]),
        (
            "What do we take: the old one, which is ours, or another?",
            ["What do we take: the old one, which is ours, or another?"],
        ),
        ("No file has it. How did you settle it?\n- Which form?\n- Which name?", ["Which form?", "Which name?"]),
        ("I need two answers from you. Which metric decides?", ["Which metric decides?"]),
        ("I need a word from you on the metric.", ["I need a word from you on the metric."]),
        ("I have no mail, so it goes out from you.", []),
        ("If you did not mean that, tell me and I put it back.", []),
        ("May I take it off?\n(a) Yes, both\n(b) No", ["May I take it off?"]),
        ("May I take it off and write to Ann: it is out?", ["May I take it off", "write to Ann: it is out?"]),
        ("I have not changed it; say so, and I will.", ["I have not changed it; say so, and I will."]),
        ("If something looks wrong, say so and I will fix it.", []),
        ("What changed?\n(a) The table is sorted.\n(b) The names are short.", []),
        ("What do you want for the title?\n- Which name?", ["What do you want for the title?", "Which name?"]),
        (
            "If you did not mean F1, tell me which metric decides.",
            ["If you did not mean F1, tell me which metric decides."],
        ),
        ("I have not changed it; say so and I will.", ["I have not changed it; say so and I will."]),
        (
            "Can you paste it, or just say from it:\n- which one goes on\n- how it is written",
            ["which one goes on", "how it is written"],
        ),
        ("Done.\n\nThe table is in results.md. Which metric decides? Thanks.", ["Which metric decides?"]),
        (
            "Which metric decides, and should I round to one decimal?",
            ["Which metric decides", "should I round to one decimal?"],
        ),
        (
            "Which metric, how many decimals and what file name?",
            ["Which metric", "how many decimals", "what file name?"],
        ),
        ("For the table, which metric decides?", ["For the table, which metric decides?"]),
        ("Should I sort by F1 or should I sort by name?", ["Should I sort by F1 or should I sort by name?"]),
        ("Which metric decides? Accuracy or macro F1?", ["Which metric decides? Accuracy or macro F1?"]),
        (
            "Before I go on: (1) which metric decides, (2) how many decimals, and (3) should I sort it?",
            ["Before I go on: (1) which metric decides", "how many decimals", "should I sort it?"],
        ),
        ("One thing stands nowhere: which line does the group take?", ["which line does the group take?"]),
        ("The line: which is it?", ["The line: which is it?"]),
        (
            "The style: which file type, how many decimals, and what goes behind the mean?",
            ["The style: which file type", "how many decimals", "what goes behind the mean?"],
        ),
        (
            "The file: Markdown or CSV, and how should it be called?",
            ["The file: Markdown or CSV", "how should it be called?"],
        ),
        ("Shall I tick the list, and tell Tomasz, who packs?", ["Shall I tick the list", "tell Tomasz, who packs?"]),
        ("Should I keep it or drop it?", ["Should I keep it or drop it?"]),
        ("Shall I keep the title and text as they are?", ["Shall I keep the title and text as they are?"]),
        ("Shall I sort by date and order of arrival?", ["Shall I sort by date and order of arrival?"]),
        ("Which format do I have to use: is it CSV?", ["Which format do I have to use: is it CSV?"]),
        ("One thing is open:  which line is it?", ["which line is it?"]),
        ("Should the table, which lists all, be sorted?", ["Should the table, which lists all, be sorted?"]),
        (
            "Which form is it to have (CSV or LaTeX; mean and spread in one cell; how many decimals)?",
            ["Which form is it to have (CSV or LaTeX", "mean and spread in one cell", "how many decimals)?"],
        ),
        (
            "How are they called, and do mean and spread stand in one cell?",
            ["How are they called", "do mean and spread stand in one cell?"],
        ),
        ("Should the list, whose rows are old, be kept?", ["Should the list, whose rows are old, be kept?"]),
        ("Format? Name?", ["Format?", "Name?"]),
        ("- which metric decides\n- What file name", ["which metric decides", "What file name"]),
        ("1. **Which metric decides?**\n2) How many decimals?", ["**Which metric decides?**", "How many decimals?"]),
        ("You want the table in which format?", ["You want the table in which format?"]),
        ('Is it called `what?.md` or "why?.md"?', ['Is it called `what?.md` or "why?.md"?']),
        ("Anything else?", ["Anything else?"]),
        ("Any other preferences?", ["Any other preferences?"]),
    ],
)
def test_questions_are_found_and_split(reply: str, expected: list[str]) -> None:
    assert texts(reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "Tell me which metric decides.",
        "Let me know whether you want one decimal.",
        "Please confirm the file name.",
        "I need to know how many decimals you want.",
        "I'd like to know your budget.",
        "Say if you'd rather have a CSV.",
        "Just say which metric.",
        "Please to tell me which metric you want.",
        "I'm not sure whether you want accuracy or F1.",
        "Could you share the budget with me.",
        "I still need your input on the tone.",
        "Before I start, confirm the metric.",
    ],
)
def test_imperatives_ask_without_a_question_mark(reply: str) -> None:
    assert [(clause.text, clause.kind) for clause in asking_clauses(reply)] == [(reply, "imperative")]


@pytest.mark.parametrize(
    "reply",
    [
        "I can do CSV or Markdown: your call.",
        "Either accuracy or F1?",
        "CSV or Markdown?",
        "I could sort by F1 or by name. Your call.",
        "Which one do you want?\nA) accuracy\nB) macro F1",
        "Options for the headline metric:\n\nA) macro F1\nB) accuracy",
        "How should I order the table:\n- by name\n- by score",
    ],
)
def test_offered_options_are_one_clause(reply: str) -> None:
    (clause,) = asking_clauses(reply)
    assert clause.kind == "options"


def test_the_options_of_a_list_are_context() -> None:
    (clause,) = asking_clauses("Which one do you want?\nA) accuracy first\nB) macro F1 first")
    assert clause.context == "accuracy first macro F1 first"


def test_a_question_below_a_list_points_at_it() -> None:
    clause = asking_clauses("Options for the budget:\nA) up to 200\nB) up to 300\nWhich one?")[-1]
    assert (clause.text, clause.bare) == ("Which one?", True)
    assert "up to 300" in clause.context


def test_the_items_of_an_asking_list_are_clauses() -> None:
    found = asking_clauses("Before I start I need to know:\n- the headline metric\n- the number of decimals")
    assert [clause.text for clause in found] == ["the headline metric", "the number of decimals"]
    assert texts("## Open questions\n1. Which metric?\n2. Decimals") == ["Which metric?", "Decimals"]


def test_the_items_of_a_report_are_no_clauses() -> None:
    assert texts("What you get:\n- What changed: the loader\n- How it works: it reads logs\n- the totals") == []


@pytest.mark.parametrize(
    "lead",
    [
        "The list is there, all five points.",
        "With ties within 0.1 points:",
        "The rest is clear: you give back one thing, as the call has it.",
        "By street:",
    ],
)
def test_the_items_below_what_states_something_are_no_clauses(lead: str) -> None:
    assert texts(f"Which line decides? {lead}\n\n- travel\n- lodging, 315.90") == ["Which line decides?"]


def test_all_before_it_in_an_item_of_a_list_is_context() -> None:
    (clause,) = asking_clauses(
        "Left to know:\n1. Annika keeps a desk for you. It is your second choice. Shall I write her?"
    )
    assert clause.context == "Annika keeps a desk for you. It is your second choice."


def test_the_sentence_before_is_context_within_its_paragraph() -> None:
    (clause,) = asking_clauses("Ignored.\n\nThe slide says 71.2, the logs 69.8. Which one do you trust?")
    assert (clause.text, clause.context) == ("Which one do you trust?", "The slide says 71.2, the logs 69.8.")
    (clause,) = asking_clauses("The slide says 71.2.\n\nWhich metric do you trust?")
    assert clause.context == ""


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Who hasn't had a wrong number on a slide?",
        "Why does this matter? Because slides travel.",
        "What changed? The loader now skips failed seeds.",
        "How did the runs end? They all converged.",
        "Is the total right? Yes, I checked it twice.",
        "One might ask: which metric decides?",
        "> Which metric decides?",
        'The notes say "Which metric decides?" and I kept to them.',
        "The notes say “Which metric decides?” and I kept to them.",
        "```\nWhich metric decides?\n```",
        "~~~\nwhich?\n```\nwhich?\n~~~",
        "`which?` is its name.",
        "| which? | what? |\n|---|---|\n| a? | b? |",
        "## What changed?",
        "What changed?\n\nThe loader skips failed seeds.",
        "I used the metric which decides.",
        "The notes tell me which metric decides.",
        "I checked which metric decides.",
        "I need to check the logs first.",
        "I can write CSV or Markdown.",
        "Let me know if you need anything.",
        "Let me know if you have questions",
        "Please let me know if you'd like me to change anything or have any questions!",
        "If anything looks off, just tell me.",
        "Let me know what you think.",
        "Happy to adjust!",
        "Let me know and I'll finish it.",
        "My plan:\n1. Read the logs\n2. Confirm the totals",
        "Please note that two runs failed.",
        "???",
    ],
)
def test_what_asks_for_nothing_is_no_clause(reply: str) -> None:
    assert texts(reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "- Why: of the two offers that are left, the second needs no extra stop.",
        "- By when, by our clock: May 4, 18:00.",
        "- Who: Ada and Bo\n- When: Monday\n- How: by mail, with the sum in it",
        "Four things to know:\n- The list has ten songs.\n- Two of them are Ada's.",
        "Things you may want to know:\n- The sum is 40.",
        "Below is what I need you to know:\n- the file is large",
        "Seats by car:\n- 4 or 5: only Ada fits\n- 6 or more: nobody fits",
        "I'll write it as text, as you settled.",
        "The mail goes out on Friday, as you said, and the file stays where it was.",
        "| Car | Which day? |\n| --- | --- |\n| red | Monday |",
        'The head of the third column reads "Until when?", as on the sheet.',
        "Decisions that I took:\n- Which order: by name\n- What format: text",
    ],
)
def test_a_report_asks_for_nothing(reply: str) -> None:
    assert texts(reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "By mail, like the neighbours?",
        "I would send it by mail, to be paid by May 4, all right?",
        "You want it as text again, I assume?",
        "Two things I need to know:\n- the day",
        "- Who gets it: Ada or Bo?",
        "- Who gets it: Ada or Bo",
    ],
)
def test_an_assumption_that_is_put_to_the_user_is_a_question(reply: str) -> None:
    assert len(texts(reply)) == 1


@pytest.mark.parametrize(
    ("reply", "things"),
    [
        (
            "Both pages are old. Shall I mend them?\n- the door's: Monday\n- the wall's",
            ["the door's: Monday", "the wall's"],
        ),
        (
            "The list is old. The label says rev 2. Shall I put both right?",
            ["The list is old.", "The label says rev 2."],
        ),
        (
            'The list is old, and the label says rev 2. I have left these. May I set them to "new" and "rev 3"?',
            ["The list is old", "the label says rev 2."],
        ),
        ("May I send these three? Each is about old news.\n- one to Ann\n- one to Ben", ["one to Ann", "one to Ben"]),
        ('May I change them?\n(a) the row "a | b | c"\n(b) the card', ['the row "a | b | c"', "the card"]),
        ("May I mend the number in each?\n- the list\n- the card", ["the list", "the card"]),
        (
            "Out of house: may I (a) tell Ann of it, and (b) send the list?",
            ["Out of house: may I tell Ann of it", "Out of house: may I send the list?"],
        ),
        (
            "The list is old, and the label says rev 2. Shall I put both right? This I did:\n- saved it\n- checked it",
            ["The list is old", "the label says rev 2."],
        ),
        ("May I (a) take one, (b) take two, (c) take three, and (d) take four?", []),
        ("- Which waits?\n- Which form?\n\nMay I change the two pages?", []),
        ("May I answer them, in one line, that it is 13?\n- a waits\n- b waits", []),
        ("- Which waits: a or b?\n\nShall I write them that it is off?", []),
        ("1. Shall I put them right?\n   a. the list is old\n   b. the label", ["the list is old", "the label"]),
        ("- May I put your two notes right? Tin: the sum. Rota: Ann's turn.", ["Tin: the sum.", "Rota: Ann's turn."]),
        (
            "May I write in your name: to Ann, that it stops, and to Ben, that it waits?",
            ["May I write in your name to Ann, that it stops", "May I write in your name to Ben, that it waits?"],
        ),
        (
            "1. The list is old, and the label says rev 2. Shall I put both right?",
            ["The list is old", "the label says rev 2."],
        ),
        (
            "Old are:\n(a) the list. It hangs.\n(b) the label\n\nShall I put (a) to (b) right?",
            ["the list.", "the label"],
        ),
        (
            "2. Two pages are old; shall I put them right?\n   - the list\n   - the label\n3. Which day?",
            ["the list", "the label"],
        ),
        ("The list is old, and the label too. Shall I text Ketil and Amina the days of all three?", []),
        ("The list is old, and the label says rev 2. Shall I mend it?", []),
        ("Old are:\n- the list\n- the label\n\nSay so and I put the new day into both.", ["the list", "the label"]),
    ],
)
def test_an_offer_for_several_is_for_what_stands_beside_it(reply: str, things: list[str]) -> None:
    assert [thing for clause in asking_clauses(reply) for thing in clause.things] == things


@pytest.mark.parametrize(
    "reply",
    [
        "I could also mark the figure in the abstract as old; just say so.",
        "I can write to Torbjorn before noon; just give me the word.",
        "I could also message Ketil the new days; say if you want it.",
        "Does Oddvar know that it is full? He is about to call it off.",
    ],
)
def test_an_offer_that_waits_for_a_word_is_a_question(reply: str) -> None:
    assert len(texts(reply)) == 1


def test_a_question_before_a_row_of_a_table_is_one() -> None:
    assert texts('Which column, QT or CYP? E.g. "| drug | class | inducer |".') == ["Which column, QT or CYP?"]
    assert texts("| which column? | QT | CYP |") == []


def test_text_after_a_closed_fence_is_read() -> None:
    assert texts("```python\nx = 'why?'\n```\nWhich metric decides?") == ["Which metric decides?"]


def test_only_the_first_clauses_count() -> None:
    assert len(asking_clauses("Which one is it?\n\n" * (MAX_CLAUSES + 50))) == MAX_CLAUSES


def test_both_ends_of_a_very_long_reply_are_read() -> None:
    filler = "```\n" + "which?\n" * 60_000 + "```\n"
    assert texts(f"Which metric decides?\n\n{filler}\nHow many decimals do you want?") == [
        "Which metric decides?",
        "How many decimals do you want?",
    ]


@pytest.mark.parametrize(
    "unit", ["?", "which ", "? ", "ok. ", "a? ", '"', "?\n", "- you\n", "you, ", "(a) ", "`?", "é? "]
)
def test_a_megabyte_of_anything_is_read_quickly(unit: str) -> None:
    reply = unit * (1_000_000 // len(unit))
    start = time.process_time()
    asking_clauses(reply)
    assert time.process_time() - start < 3  # measured at under 0.7 s; the rest is for busy machines


@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(
                [
                    "which",
                    "Tell me",
                    " ",
                    "?",
                    ".",
                    "\n",
                    "- ",
                    "A) ",
                    '"',
                    "`",
                    "```",
                    ", and what",
                    "or",
                    ":",
                    "\ud800",
                    "İ",
                    "x",
                ]
            ),
            max_size=60,
        ).map("".join),
    )
)
def test_any_text_gives_bounded_clauses_that_stand_in_it(reply: str) -> None:
    found = asking_clauses(reply)
    assert found == asking_clauses(reply)
    flat = "".join(reply.replace("\ud800", "\ufffd").split())
    for clause in found:
        assert len(clause.context) <= MAX_CONTEXT_CHARS
        assert 0 < len(clause.text) <= MAX_CLAUSE_CHARS
        first = clause.text.split()[0]
        assert first in flat


@given(
    st.sampled_from(["The table is done.", "> quoted?", "```\nwhy?\n```", "| a? | b? |", "- Totals agree", "# What?"])
)
def test_surroundings_do_not_hide_a_question(around: str) -> None:
    reply = f"{around}\n\nWhich metric decides?\n\n{around}"
    assert texts(reply) == ["Which metric decides?"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            "Three things are yours to settle:\n\n1. The form:\n   a) hazard ratio\n   b) months\n\n"
            "2. How studies are called:\n   a) by acronym\n   b) by author",
            ["The form:", "How studies are called:"],
        ),
        ("Tell me:\n1. The form:\na) CSV\nb) LaTeX\n2. The name:\n- old\n- new", ["The form:", "The name:"]),
        ("To settle:\n1. The table\n   - which format\n   - how many decimals", ["which format", "how many decimals"]),
        ("1. Which form?\n   - CSV\n   - or would LaTeX be better?", ["Which form?", "or would LaTeX be better?"]),
        ("- Which form?\n- Which name?\n  - the old one", ["Which form?", "Which name?"]),
        ("Tell me:\n1. The format\n 2. The name", ["The format", "The name"]),
        (
            "1. Which form?\n   - please tell me how many\n   - which name",
            ["Which form?", "please tell me how many", "which name"],
        ),
        (
            "1. CSV or LaTeX: which form do you want?\n2. which name",
            ["CSV or LaTeX: which form do you want?", "which name"],
        ),
    ],
)
def test_a_list_below_an_item_has_its_options_or_asks_itself(reply: str, expected: list[str]) -> None:
    assert texts(reply) == expected


def test_options_below_an_item_are_its_context() -> None:
    (only,) = asking_clauses("1. The file is open. Which one do you want?\n   a) CSV\n   b) LaTeX")
    assert "LaTeX" in only.context
    first, second = asking_clauses("Tell me:\n1. The form:\n   a) CSV\n   b) LaTeX\n2. The name, please")
    assert ("LaTeX" in first.context, "LaTeX" in second.context) == (True, False)
