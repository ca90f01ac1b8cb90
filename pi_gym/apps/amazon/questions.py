"""Operations on questions about products, and their answers."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import account_by_email
from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.reviews import of_product, user
from pi_gym.apps.amazon.shown import named
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SORTED = ("created_at",)


@APP.operation("read", open=False)
def show_product_questions(
    desk: Desk,
    product_id: int,
    query: str = "",
    user_email: str | None = None,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Show what people asked about a product, the newest first, or the best match first where there is a query.

    Each has its number of answers; show_product_question_answers gives them.

    Args:
        product_id: the product's id.
        query: words to look for in the question; empty for all questions.
        user_email: only questions by the account with this e-mail address; null for everybody's.
        page_index: which page, from 0.
        page_limit: questions a page, 1 to 20.
        sort_by: +created_at or -created_at for the oldest or newest first; null for the order above.
    """
    desk.need("products", product_id)
    found = of_product(desk, "questions", {"question": 1}, product_id, query, user_email)
    found = ordered(found, sort_by or (None if query.strip() else "-created_at"), SORTED)

    def shown(key: int, row: Row) -> dict[str, Any]:
        return {
            "question_id": key,
            "question": row["question"],
            "created_at": row["created_at"],
            "user": user(desk, row["account"]),
            "number_of_answers": len(desk.having("answers", "question_id", key)),
        }

    nothing = "No questions match." if query.strip() or user_email else "Nobody has asked about this product yet."
    return page(found, page_index, page_limit, "questions", shown, nothing)


@APP.operation("read", open=False)
def show_product_question_answers(
    desk: Desk,
    question_id: int,
    query: str = "",
    user_email: str | None = None,
    is_verified: bool | None = None,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Show the answers to a question about a product, the oldest first, or the best match first with a query.

    Args:
        question_id: the question's id; show_product_questions finds it.
        query: words to look for in the answer; empty for all answers.
        user_email: only answers by the account with this e-mail address; null for everybody's.
        is_verified: only by people who bought the product here (true) or did not (false); null for both.
        page_index: which page, from 0.
        page_limit: answers a page, 1 to 20.
        sort_by: +created_at or -created_at for the oldest or newest first; null for the order above.
    """
    question = desk.need("questions", question_id)
    by = None if user_email is None else account_by_email(desk, user_email)[0]

    def keep(row: Row) -> bool:
        return by in (None, row["account"]) and is_verified in (None, row["is_verified"])

    if query.strip():
        found = search(desk.table("answers"), query, {"answer": 1}, keep, where={"question_id": question_id})
    else:
        found = [pair for pair in desk.having("answers", "question_id", question_id) if keep(pair[1])]
    found = ordered(found, sort_by or (None if query.strip() else "+created_at"), SORTED)

    def shown(key: int, row: Row) -> dict[str, Any]:
        names = ("answer", "is_verified", "created_at")
        return {"answer_id": key, **{name: row[name] for name in names}, "user": user(desk, row["account"])}

    nothing = "No answers match." if query.strip() or user_email or is_verified is not None else "No answers yet."
    shown_page = page(found, page_index, page_limit, "answers", shown, nothing)
    return {"question": question["question"], "product_id": question["product_id"], **shown_page}


@APP.operation("write")
def write_product_question(desk: Desk, product_id: int, question: str) -> Any:
    """Ask something about a product; everybody can read it under your name. Answers, if any, come days later.

    Args:
        product_id: the product's id.
        question: what you want to know, 1 to 500 characters.
    """
    product = desk.need("products", product_id)
    if is_blank(question):
        raise ToolError("The question is empty; write what you want to know.")
    key = desk.insert(
        "questions", account=desk.account_id, product_id=product_id, question=question.strip(), created_at=desk.now
    )
    return {"message": f"Question about {named(product)} published.", "question_id": key}
