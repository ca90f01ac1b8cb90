"""Amazon: reviews, questions and answers; each operation and each documented error."""

from __future__ import annotations

from typing import Any

import pytest
from support.amazon import DOUGH_BOWL, IDA, RED_SOCKS, SALAD_BOWL, STONE_OVEN, TIN_OVEN, shop
from support.apps import done, refused

from pi_gym.tools import ToolContext


def reviews(context: ToolContext, product_id: int, **arguments: Any) -> list[str]:
    found = done(context, "amazon__show_product_reviews", product_id=product_id, **arguments)
    return [review["title"] for review in found["reviews"]]


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        ({}, ["Mine", "Good bowl", "Dented"]),
        ({"sort_by": "+created_at"}, ["Dented", "Good bowl", "Mine"]),
        ({"sort_by": "-rating"}, ["Mine", "Good bowl", "Dented"]),
        ({"query": "dented"}, ["Dented"]),
        ({"query": "rye", "user_email": "bo@shop.example"}, []),
        ({"query": "fine", "user_email": "bo@shop.example"}, ["Dented"]),
        ({"user_email": "BO@shop.example"}, ["Dented"]),
        ({"min_rating": 5}, ["Mine"]),
        ({"max_rating": 4}, ["Good bowl", "Dented"]),
        ({"is_verified": False}, []),
        ({"page_limit": 1, "page_index": 1}, ["Good bowl"]),
    ],
)
def test_reviews_are_filtered_and_sorted(arguments: dict[str, Any], titles: list[str]) -> None:
    assert reviews(shop(), DOUGH_BOWL, **arguments) == titles


def test_reviews_say_who_wrote_them_and_whether_they_bought_it() -> None:
    found = done(shop(), "amazon__show_product_reviews", product_id=STONE_OVEN, is_verified=False)["reviews"]
    assert found == [
        {
            "review_id": 2,
            "rating": 2,
            "title": "Heavy",
            "text": "My floor bent.",
            "is_verified": False,
            "created_at": "2025-03-01T10:00:00",
            "user": {"name": "Bo Buyer", "email": "bo@shop.example"},
        }
    ]


def test_no_reviews_are_told_from_none_that_match() -> None:
    context = shop()
    assert "Nobody has reviewed" in done(context, "amazon__show_product_reviews", product_id=RED_SOCKS)["message"]
    found = done(context, "amazon__show_product_reviews", product_id=DOUGH_BOWL, query="zeppelin")
    assert found["message"] == "No reviews match."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"user_email": "x@y.example"}, "no account with the e-mail address 'x@y.example'"),
        ({"min_rating": 5, "max_rating": 2}, "min_rating (5) is above max_rating (2)"),
        ({"sort_by": "stars"}, "one of: created_at, rating"),
    ],
)
def test_wrong_filters_of_reviews_are_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(shop(), "amazon__show_product_reviews", product_id=DOUGH_BOWL, **arguments)


def test_a_review_is_published_and_changes_the_rating() -> None:
    context = shop("2026-03-03T08:00:00")
    made = done(context, "amazon__write_product_review", product_id=STONE_OVEN, rating=5, title=" Hot ", text="Yes.")
    assert (made["review_id"], made["is_verified"]) == (100_001, True)
    newest = done(context, "amazon__show_product_reviews", product_id=STONE_OVEN)["reviews"][0]
    assert (newest["title"], newest["created_at"], newest["user"]["email"]) == (
        "Hot",
        "2026-03-03T08:00:00",
        IDA["username"],
    )
    product = done(context, "amazon__show_product", product_id=STONE_OVEN)
    assert (product["rating"], product["number_of_reviews"]) == (4.0, 3)
    best = done(context, "amazon__search_products", product_type="ovens", min_product_rating=4.0)["products"]
    assert [one["product_id"] for one in best] == [STONE_OVEN]


def test_a_review_of_what_was_not_bought_is_not_verified() -> None:
    context = shop()
    made = done(context, "amazon__write_product_review", product_id=TIN_OVEN, rating=2)
    assert (made["is_verified"], "not verified" in made["message"]) == (False, True)
    # Per bought the salad bowl, which does not make Ida a buyer.
    assert not done(context, "amazon__write_product_review", product_id=SALAD_BOWL, rating=2)["is_verified"]


def test_each_account_has_one_review_a_product() -> None:
    text = refused(shop(), "amazon__write_product_review", product_id=DOUGH_BOWL, rating=1)
    assert "You reviewed Dough bowl (white) already, on 2025-07-01 with 5 stars (review 50001)" in text


@pytest.mark.parametrize("rating", [0, 6, -1])
def test_stars_are_one_to_five(rating: int) -> None:
    text = refused(shop(), "amazon__write_product_review", product_id=STONE_OVEN, rating=rating)
    assert f"must be 1 (worst) to 5 (best) stars, not {rating}" in text


def test_questions_are_listed_with_the_number_of_their_answers() -> None:
    found = done(shop(), "amazon__show_product_questions", product_id=STONE_OVEN)["questions"]
    assert [(one["question_id"], one["number_of_answers"]) for one in found] == [(2, 0), (1, 2)]
    assert found[1]["user"] == {"name": "Bo Buyer", "email": "bo@shop.example"}
    oldest = done(shop(), "amazon__show_product_questions", product_id=STONE_OVEN, sort_by="+created_at")["questions"]
    assert [one["question_id"] for one in oldest] == [1, 2]
    by_word = done(shop(), "amazon__show_product_questions", product_id=STONE_OVEN, query="door")["questions"]
    assert [one["question_id"] for one in by_word] == [2]
    by_bo = done(shop(), "amazon__show_product_questions", product_id=STONE_OVEN, user_email="bo@shop.example")
    assert [one["question_id"] for one in by_bo["questions"]] == [1]


def test_questions_that_are_not_there_are_explained() -> None:
    context = shop()
    assert "Nobody has asked" in done(context, "amazon__show_product_questions", product_id=DOUGH_BOWL)["message"]
    found = done(context, "amazon__show_product_questions", product_id=STONE_OVEN, query="zeppelin")
    assert found["message"] == "No questions match."
    assert "no account" in refused(context, "amazon__show_product_questions", product_id=1, user_email="x@y.example")
    assert "one of: created_at" in refused(context, "amazon__show_product_questions", product_id=1, sort_by="-x")


@pytest.mark.parametrize(
    ("arguments", "answers"),
    [
        ({}, [2, 1]),
        ({"sort_by": "-created_at"}, [1, 2]),
        ({"query": "pizza"}, [2]),
        ({"is_verified": True}, [1]),
        ({"user_email": "bo@shop.example"}, [2]),
        ({"user_email": "bo@shop.example", "query": "degrees"}, []),
        ({"page_limit": 1, "page_index": 1}, [1]),
    ],
)
def test_answers_are_filtered_and_sorted(arguments: dict[str, Any], answers: list[int]) -> None:
    found = done(shop(), "amazon__show_product_question_answers", question_id=1, **arguments)
    assert [answer["answer_id"] for answer in found["answers"]] == answers
    assert (found["question"], found["product_id"]) == ("How hot does it get?", STONE_OVEN)


def test_answers_that_are_not_there_are_explained() -> None:
    context = shop()
    assert done(context, "amazon__show_product_question_answers", question_id=2)["message"] == "No answers yet."
    found = done(context, "amazon__show_product_question_answers", question_id=1, query="zeppelin")
    assert found["message"] == "No answers match."
    text = refused(context, "amazon__show_product_question_answers", question_id=9)
    assert "no question with the id 9. amazon__show_product_questions finds ids" in text
    assert "no account" in refused(
        context, "amazon__show_product_question_answers", question_id=1, user_email="x@y.example"
    )


def test_a_question_is_published() -> None:
    context = shop("2026-03-03T08:00:00")
    made = done(context, "amazon__write_product_question", product_id=RED_SOCKS, question="  Itchy? ")
    found = done(context, "amazon__show_product_questions", product_id=RED_SOCKS)["questions"]
    assert found == [
        {
            "question_id": made["question_id"],
            "question": "Itchy?",
            "created_at": "2026-03-03T08:00:00",
            "user": {"name": "Ida Note", "email": IDA["username"]},
            "number_of_answers": 0,
        }
    ]
    assert "question is empty" in refused(context, "amazon__write_product_question", product_id=1, question=" \n")


@pytest.mark.parametrize(
    ("operation", "arguments", "says"),
    [
        (
            "write_product_review",
            {"rating": 4, "title": "x" * 201},
            "title of the review would have 201",
        ),
        (
            "write_product_review",
            {"rating": 4, "text": "x" * 3_001},
            "would have 3001 characters; at most 3000",
        ),
        (
            "write_product_question",
            {"question": "x" * 501},
            "would have 501 characters; at most 500",
        ),
    ],
)
def test_what_everybody_reads_stays_short(operation: str, arguments: dict[str, Any], says: str) -> None:
    assert says in refused(shop(), f"amazon__{operation}", product_id=STONE_OVEN, **arguments)
