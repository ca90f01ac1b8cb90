from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import SpecError
from pi_gym.questions import Asked, Clause, Matcher, aim, asking_clauses, compile_topic, credit

METRIC = {"groups": [["metric", "score", "rank by"], ["decid", "headline", "sort"]], "without": ["per seed"]}


def matcher(**topics: dict[str, Any]) -> Matcher:
    """A matcher of wishes, each given by one way of asking or by `any`."""
    entries = {name: spec if "any" in spec else {"any": [spec]} for name, spec in topics.items()}
    return Matcher([compile_topic(name, "wish", entry) for name, entry in entries.items()])


def takes(one: Matcher, clause: Clause) -> bool:
    return bool(one.aims(clause))


def question(text: str, context: str = "", bare: bool = False) -> Clause:
    return Clause(text, context, "question", bare)


def test_an_offer_that_only_points_is_about_the_sentence_before() -> None:
    found = matcher(
        order={"groups": [["order"], ["monday"], ["hold"]]}, table={"groups": [["table"], ["unread", "back"], ["hold"]]}
    )
    context = "The table is unread. The order goes out on Monday."
    assert found.aims(question("May I hold it (until he is back)?", context=context)) == ("order",)
    assert found.aims(question("Shall I print it?", context=context)) == ()


@pytest.mark.parametrize(
    ("word", "text", "matches"),
    [
        ("metric", "Which METRICS?", True),
        ("metric", "Which biometrics?", False),
        ("decim", "how many decimals", True),
        ("=or", "a or b", True),
        ("=or", "the order", False),
        ("rank by", "ranked by what?", True),
        ("rank by", "rank it by what?", False),
        ("rank .. by", "rank all of it by what?", False),
        ("rank .. by", "rank all by what?", True),
        ("rank .. by", "rank by what?", True),
        ("macro-F1", "the macro F1?", True),
        ("macro f1", "the macro-f1?", True),
        ("macro-F1", "the macrof1?", True),
        ("email", "an e-mail?", True),
        ("e-mail", "an email?", True),
        ("file name", "the file_name?", True),
        ("don't", "Don’t round?", True),
        ("cafe", "Which Café?", True),
        ("2", "the 2nd?", True),
        ("2", "the 20?", False),
        (2, "2 decimals?", True),
        (71.2, "71.2 or 69.8?", True),
        ("€", "50€ or more?", True),
    ],
)
def test_words_match_as_the_docstring_says(word: object, text: str, matches: bool) -> None:
    assert takes(matcher(word={"groups": [[word]]}), question(text)) is matches


def test_every_group_must_match() -> None:
    metric = matcher(metric=METRIC)
    assert takes(metric, question("Which metric decides?"))
    assert not takes(metric, question("Which metric did you log?"))
    assert not takes(metric, question("Who decides?"))


def test_context_may_hold_all_groups_but_one() -> None:
    metric = matcher(metric=METRIC)
    assert takes(metric, question("Which decides?", context="There are two metrics."))
    assert not takes(metric, question("Shall I go on?", context="The metric decides."))
    assert takes(metric, question("Which one?", context="Two metrics could decide.", bare=True))


def test_excluded_words_look_at_the_clause_alone() -> None:
    metric = matcher(metric=METRIC)
    assert not takes(metric, question("Which metric decides per seed?"))
    assert takes(metric, question("Which metric decides?", context="I averaged per seed."))


COLUMNS = {"groups": [["column", "columns"], ["order", "first", "sort"]]}
ROWS = {"groups": [["row", "rows", "baseline"], ["order", "first", "sort", "top"]]}


def test_a_clause_goes_to_the_topic_that_has_all_its_groups() -> None:
    both = matcher(columns=COLUMNS, rows=ROWS)
    assert both.aims(question("Which column comes first?")) == ("columns",)
    assert both.aims(question("Which row comes first?")) == ("rows",)


def test_a_topic_whose_words_another_explains_is_not_aimed_at() -> None:
    both = matcher(file={"groups": [["table", "file"], ["name", "format"]]}, format={"groups": [["file format"]]})
    assert len(both.aims(question("In which file format would you like to have it?"))) == 1


def test_a_clause_that_names_two_things_aims_at_both() -> None:
    both = matcher(columns=COLUMNS, metric=METRIC)
    assert set(both.aims(question("Which column is first and by which metric should I sort it?"))) == {
        "columns",
        "metric",
    }


def test_a_wish_of_the_persona_is_aimed_at_where_the_task_has_nothing() -> None:
    dates = compile_topic("dates", "lasting", {"any": [{"groups": [["date", "day"], ["written", "style", "form"]]}]})
    both = Matcher([*matcher(metric=METRIC).topics, dates])
    assert both.aims(question("Which style should the date be written in?")) == ("dates",)
    assert both.aims(question("Which metric decides, on the day and in the form that you have written?")) == ("metric",)


def test_a_question_about_facts_needs_more_than_one_that_asks_what_is_wanted() -> None:
    one = matcher(guest={"groups": [["guest", "Kasper"], ["pay", "share"]]}, other=COLUMNS)
    value = {text: one.scores(question(text))["guest"] for text in ("Should Kasper pay?", "Did Kasper pay?")}
    assert value["Should Kasper pay?"] > value["Did Kasper pay?"]


def test_a_property_stands_for_its_words() -> None:
    columns = matcher(columns={"groups": [["column"], ["~order"]]})
    assert takes(columns, question("Should the columns be sorted?"))
    assert not takes(columns, question("Did you count the columns?"))


def test_any_holds_different_ways_of_asking() -> None:
    metric = matcher(metric={"any": [METRIC, {"groups": [["f1"], ["accuracy"]]}]})
    assert takes(metric, question("F1 or accuracy?"))
    assert takes(metric, question("Which metric decides?"))
    assert not takes(metric, question("F1?"))


@pytest.mark.parametrize(
    ("ways", "field", "reason"),
    [
        ("metric", "w.any", "expected a list of mappings"),
        ([], "w.any", "expected a list of mappings"),
        ([3], "w.any[0]", "expected a mapping"),
        ([{}], "w.any[0].groups", "expected a list of lists"),
        ([{"groups": []}], "w.any[0].groups", "expected a list of lists"),
        ([{"groups": ["metric"]}], "w.any[0].groups[0]", "such as [metric, score]"),
        ([{"groups": [["a"], []]}], "w.any[0].groups[1]", "expected a list of words"),
        ([{"groups": [["a", False]]}], "w.any[0].groups[0][1]", "quote the word"),
        ([{"groups": [["a", "?"]]}], "w.any[0].groups[0][1]", "no word"),
        ([{"groups": [["a .."]]}], "w.any[0].groups[0][0]", "ends in"),
        ([{"groups": [[""]]}], "w.any[0].groups[0][0]", "no word"),
        ([{"groups": [[{"a": 1}]]}], "w.any[0].groups[0][0]", "expected a word"),
        ([{"group": [["a"]]}], "w.any[0]", "Did you mean 'groups'?"),
        ([{"groups": [["~ordr"]]}], "w.any[0].groups[0][0]", "Did you mean 'order'"),
        ([{"groups": [["a"]], "without": "seed"}], "w.any[0].without", "expected a list of words"),
    ],
)
def test_a_bad_entry_names_the_field_and_what_was_expected(ways: Any, field: str, reason: str) -> None:
    with pytest.raises(SpecError) as raised:
        compile_topic("w", "wish", {"any": ways})
    assert raised.value.field == field
    assert reason in raised.value.reason


INTENTS = matcher(**{name: {"groups": [[name]]} for name in ("alpha", "beta", "gamma", "delta")})
OPEN = ("alpha", "beta", "gamma", "delta")


def asked(*texts: str, open_ids: tuple[str, ...] = OPEN, misses: int = 0, patience: int | None = 3) -> Asked:
    aimed = aim([question(text) for text in texts], INTENTS, {name: name for name in OPEN})
    return credit(aimed, open_ids, misses, patience)


def test_clauses_credit_open_intents_in_the_order_asked() -> None:
    found = asked("beta?", "alpha?")
    assert found.hits == ("beta", "alpha")
    assert [clause.outcome for clause in found.clauses] == ["hit", "hit"]
    assert (found.misses, found.questions) == (0, 2)


def test_one_clause_credits_two_intents_at_most_and_an_offer_three() -> None:
    found = asked("gamma, beta and alpha?")
    assert found.hits == ("alpha", "beta")  # equally good, so in file order
    assert asked("Shall I tell gamma, beta and alpha?").hits == ("alpha", "beta", "gamma")
    assert len(asked("May I ask for gamma, beta and alpha?").hits) == 2
    assert len(asked("Tell me gamma, beta and alpha.").hits) == 2


def test_a_laundry_list_in_one_clause_is_a_miss() -> None:
    found = asked("alpha, beta, gamma, delta?")
    assert (found.hits, found.misses, found.clauses[0].outcome) == ((), 1, "miss")


def test_what_is_known_already_is_neutral() -> None:
    found = asked("alpha?", "beta?", "beta?", open_ids=("beta",))
    assert [clause.outcome for clause in found.clauses] == ["neutral", "hit", "neutral"]
    assert (found.hits, found.misses) == (("beta",), 0)


def test_nothing_counts_after_the_last_miss_of_the_patience() -> None:
    found = asked("else?", "more?", "alpha?", misses=2)
    assert [clause.outcome for clause in found.clauses] == ["miss", "miss", "hit"]
    assert (found.misses, found.questions) == (3, 3)
    assert asked("alpha?", misses=3).hits == ()


def test_without_patience_every_clause_counts() -> None:
    found = asked(*["else?"] * 50, "alpha?", patience=None)
    assert (found.hits, found.misses) == (("alpha",), 1)


def test_a_reply_without_questions_changes_nothing() -> None:
    assert asked(misses=2) == Asked((), (), 2, 0)


@given(
    st.lists(st.sampled_from(["alpha?", "beta gamma?", "else?", "alpha beta gamma delta?"]), max_size=12),
    st.integers(0, 4),
)
def test_hits_are_open_and_unique_and_misses_never_exceed_the_patience(texts: list[str], patience: int) -> None:
    found = asked(*texts, open_ids=("alpha", "gamma"), patience=patience)
    assert set(found.hits) <= {"alpha", "gamma"}
    assert len(set(found.hits)) == len(found.hits)
    assert found.misses <= patience
    assert found.misses == any(clause.outcome == "miss" for clause in found.clauses)
    assert [hit for clause in found.clauses for hit in clause.hits] == list(found.hits)


@given(st.text(max_size=200))
def test_any_reply_and_any_word_can_be_matched(text: str) -> None:
    one = matcher(metric=METRIC)
    for clause in (*asking_clauses(text), question(text, text)):
        assert one.aims(clause) in ((), ("metric",))
    assert pickle.loads(pickle.dumps(one)) == one


def test_what_stands_in_brackets_makes_a_question_clear_and_asks_for_nothing() -> None:
    one = matcher(
        name={"groups": [["called", "name"], ["file", "what"]]}, old={"groups": [["replac", "instead"], ["january"]]}
    )
    assert one.aims(question("How is the file called (it replaces the one of January)?")) == ("name",)
    assert one.aims(question("Does it replace that one (the table of January)?")) == ("old",)
    assert one.aims(question("(Does it replace that of January?)")) == ("old",)


@pytest.mark.parametrize("text", ["Right?", "Is that right?", "Shall I?"])
def test_who_asks_for_a_yes_asks_what_the_sentence_before_says(text: str) -> None:
    one = matcher(colour={"groups": [["colour", "blue"]]}, size={"groups": [["size", "large"]]})
    assert one.aims(question(text, "It is large. I take blue.")) == ("colour",)
    assert one.aims(question(text)) == ()
