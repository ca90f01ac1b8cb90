"""Rules of a task's own: `function`, with and without arguments."""

import pytest

from pi_gym.errors import SpecError
from pi_gym.predicates import Evidence, compile_predicate


def check_reply(evidence, word):
    return word in evidence.reply


RULES = {"check_reply": check_reply}


@pytest.mark.parametrize(("word", "holds"), [("yes", True), ("no", False)])
def test_a_rule_gets_the_arguments_of_with(word, holds):
    predicate = compile_predicate({"function": "check_reply", "with": {"word": word}}, "check", RULES)
    assert bool(predicate.test(Evidence(replies=("yes indeed",)))) is holds


def test_calls_with_other_arguments_of_one_rule_are_judged_apart():
    evidence = Evidence(replies=("yes indeed",))
    yes, no = ({"function": "check_reply", "with": {"word": word}} for word in ("yes", "no"))
    assert compile_predicate([yes, yes], "check", RULES).test(evidence)
    assert not compile_predicate([yes, no], "check", RULES).test(evidence)


@pytest.mark.parametrize("arguments", [None, {}, {"wrod": "yes"}, {"word": "yes", "more": 1}])
def test_arguments_that_the_rule_does_not_take_are_refused(arguments):
    spec = {"function": "check_reply"} | ({} if arguments is None else {"with": arguments})
    with pytest.raises(SpecError, match="check"):
        compile_predicate(spec, "check", RULES)
