"""Reviews of songs: stars and words, one for a song and an account."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import account_by_email, full_name, holder
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import search, words_of
from pi_gym.apps.spotify import filters
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.ratings import MusicRatings
from pi_gym.apps.spotify.songs import song_name, song_or_gone, titled
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"title": 4, "text": 1}
SORTED = ("created_at", "updated_at", "rating")
STARS = (1, 5)
PREVIEW_CHARS = 240


@APP.operation("write")
def review_song(desk: Desk, song_id: int, rating: int, title: str = "", text: str = "") -> Any:
    """Review a song. There is one review for a song and an account; update_song_review changes it.

    Args:
        song_id: the song's id.
        rating: stars, 1 to 5.
        title: the review's title, at most 100 characters.
        text: the review's text, at most 4,000 characters.
    """
    song, mine = desk.need("songs", song_id), desk.account_id
    for key, row in desk.having("reviews", "song", song_id):
        if row["account"] == mine:
            raise ToolError(
                f"You have reviewed {titled(song)} already; spotify__update_song_review with review_id={key} changes"
                " that."
            )
    key = desk.insert(
        "reviews", account=mine, song=song_id, **_checked(rating, title, text), created_at=desk.now, updated_at=desk.now
    )
    return {"message": "Review posted.", "review_id": key, "song_rating": MusicRatings(desk).song(song_id)}


@APP.operation("read")
def show_song_reviews(
    desk: Desk,
    song_id: int,
    query: str = "",
    user_email: str | None = None,
    min_rating: int = 1,
    max_rating: int = 5,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Show the reviews of a song, or search them by words of title and text, best match first.

    Without a query the newest come first. Long texts are cut; show_song_review gives one whole.

    Args:
        song_id: the song's id.
        query: words to look for; empty for all reviews.
        user_email: only the review of the account with this e-mail address; your own address finds yours.
        min_rating: the least number of stars.
        max_rating: the greatest number of stars.
        page_index: which page, from 0.
        page_limit: reviews a page, 1 to 20.
        sort_by: + or - (ascending or descending) and created_at, updated_at or rating; null for the best match first.
    """
    song, ratings = desk.need("songs", song_id), MusicRatings(desk)
    bounds = filters.limit("rating", min_rating, max_rating, *STARS)
    found = filters.within(search(desk.table("reviews"), query, SEARCHED, where={"song": song_id}), {"rating": bounds})
    if user_email is not None:
        wanted = account_by_email(desk, user_email)[0]
        found = [pair for pair in found if pair[1]["account"] == wanted]
    found = filters.sorted_by(found, sort_by or (None if words_of(query) else "-created_at"), SORTED)
    nothing = (
        f"No review of {titled(song)} matches; it has {ratings.reviews(song_id)}. spotify__review_song writes one."
    )
    result = page(found, page_index, page_limit, "reviews", lambda key, row: _short(desk, key, row), nothing)
    return {"song": song_name(song_id, song), "song_rating": ratings.song(song_id), **result}


@APP.operation("read")
def show_song_review(desk: Desk, review_id: int) -> Any:
    """Show one review whole.

    Args:
        review_id: the review's id.
    """
    review = desk.need("reviews", review_id)
    song = song_name(review["song"], song_or_gone(desk, review["song"]))
    return {**_whole(desk, review_id, review), "song": song}


@APP.operation("write")
def update_song_review(
    desk: Desk, review_id: int, rating: int | None = None, title: str | None = None, text: str | None = None
) -> Any:
    """Change a review of your own. What is left out, or null, stays as it is.

    Args:
        review_id: the review's id.
        rating: the new stars, 1 to 5.
        title: the new title.
        text: the new text, which replaces the whole old one.
    """
    review = desk.need("reviews", review_id)
    if review["account"] != desk.account_id:
        raise ToolError(f"Review {review_id} is somebody else's; only your own can be changed.")
    given = {"rating": rating, "title": title, "text": text}
    changed = [name for name, value in given.items() if value is not None]
    if not changed:
        raise ToolError("Nothing to change; give rating, title or text.")
    checked = _checked(
        review["rating"] if rating is None else rating,
        review["title"] if title is None else title,
        review["text"] if text is None else text,
    )
    desk.update("reviews", review_id, **{name: checked[name] for name in changed}, updated_at=desk.now)
    return {
        "message": f"Review updated: {', '.join(changed)}.",
        "review_id": review_id,
        "song_rating": MusicRatings(desk).song(review["song"]),
    }


def _checked(rating: int, title: str, text: str) -> dict[str, Any]:
    """The columns of a review; ToolError where one is out of range."""
    least, most = STARS
    if not least <= rating <= most:
        raise ToolError(f"rating must be between {least} and {most} stars, not {rating}.")
    return {"rating": rating, "title": title.strip(), "text": text}


def _whole(desk: Desk, key: int, review: Row) -> dict[str, Any]:
    writer = holder(desk, review["account"])
    return {
        "review_id": key,
        "user": {"name": full_name(writer), "email": writer["email"]},
        "is_own": review["account"] == desk.account_id,
        **{name: review[name] for name in ("rating", "title", "text", "created_at", "updated_at")},
    }


def _short(desk: Desk, key: int, review: Row) -> dict[str, Any]:
    whole = _whole(desk, key, review)
    if len(whole["text"]) > PREVIEW_CHARS:
        whole["text"] = whole["text"][:PREVIEW_CHARS] + "…"
    return whole
