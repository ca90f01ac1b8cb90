"""Comments on tasks, with files attached."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import TABLE as ATTACHMENTS
from pi_gym.apps.attachments import attach, attached, files_of
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.texts import is_blank
from pi_gym.apps.todoist.access import check_writable, email_of, need_comment, need_task
from pi_gym.apps.todoist.app import APP
from pi_gym.apps.todoist.notifications import notify
from pi_gym.apps.todoist.removal import remove_comment
from pi_gym.apps.todoist.texts import shortened
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

PREVIEW_CHARS = 300
# What the texts of a comment's files may have together, so that the comment stays one result.
_FILES_CHARS = 6_000


@APP.operation("write")
def post_task_comment(
    desk: Desk,
    task_id: int,
    content: str,
    attachment_file_paths: list[str] | None = None,
    file_system_access_token: str | None = None,
) -> Any:
    """Comment on a task. In a shared project, all other collaborators are told.

    Args:
        task_id: the task's id.
        content: the comment; it must not be empty.
        attachment_file_paths: files of the workspace to attach, as they are now; null for none.
        file_system_access_token: not needed; it is ignored.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    content = _content(content)
    files = files_of(desk, attachment_file_paths or [])
    key = desk.insert("task_comments", task=task_id, author=desk.account_id, content=content, created_at=desk.now)
    attach(desk, key, files)
    notify(desk, project["members"], "comment", task_id, task, content)
    return {"message": "Comment posted.", "task_comment_id": key, "attachments": len(files)}


@APP.operation("read")
def show_task_comments(desk: Desk, task_id: int, page_index: int = 0, page_limit: int = 5) -> Any:
    """Show the comments on a task, oldest first; show_task_comment gives a long one whole, and the files' texts.

    Args:
        task_id: the task's id.
        page_index: which page, from 0.
        page_limit: comments a page, 1 to 20.
    """
    need_task(desk, task_id)
    found = sorted(
        desk.having("task_comments", "task", task_id), key=lambda pair: (pair[1]["created_at"], pair[0])
    )  # fmt: skip

    def show(key: int, row: Row) -> dict[str, Any]:
        names = [file["file_name"] for _, file in desk.having(ATTACHMENTS, "record", key)]
        return {**_shown(desk, key, row), "content": shortened(row["content"], PREVIEW_CHARS), "attachments": names}

    nothing = "The task has no comments; todoist__post_task_comment writes one."
    return page(found, page_index, page_limit, "task_comments", show, nothing)


@APP.operation("read")
def show_task_comment(desk: Desk, task_comment_id: int) -> Any:
    """Show a comment whole, with the texts of its attached files.

    Args:
        task_comment_id: the comment's id, from show_task_comments.
    """
    row, _, _ = need_comment(desk, task_comment_id)
    files = attached(desk, task_comment_id)
    for file in files:
        file["text"] = shortened(file["text"], _FILES_CHARS // len(files))
    return {**_shown(desk, task_comment_id, row), "content": row["content"], "attachments": files}


@APP.operation("write")
def update_task_comment(desk: Desk, task_comment_id: int, content: str | None = None) -> Any:
    """Change the text of a comment of your own; its files stay.

    Args:
        task_comment_id: the comment's id, from show_task_comments.
        content: the new text, which replaces the old one.
    """
    row, _, project = need_comment(desk, task_comment_id)
    _check_author(desk, row)
    check_writable(project)
    if content is None:
        raise ToolError("Nothing to change; give content.")
    desk.update("task_comments", task_comment_id, content=_content(content), updated_at=desk.now)
    return {"message": "Comment updated.", "task_comment_id": task_comment_id}


@APP.operation("write")
def delete_task_comment(desk: Desk, task_comment_id: int) -> Any:
    """Delete a comment of your own for good, with its files.

    Args:
        task_comment_id: the comment's id, from show_task_comments.
    """
    row, _, project = need_comment(desk, task_comment_id)
    _check_author(desk, row)
    check_writable(project)
    remove_comment(desk, task_comment_id)
    return {"message": "Comment deleted.", "task_comment_id": task_comment_id}


def _check_author(desk: Desk, row: Row) -> None:
    if row["author"] != desk.account_id:
        raise ToolError(
            f"This comment is by {email_of(desk, row['author'])}; only its author can change or delete it. Answer with"
            " todoist__post_task_comment instead."
        )


def _content(text: str) -> str:
    content = text.strip()
    if is_blank(content):
        raise ToolError("The comment is empty; give content.")
    return content


def _shown(desk: Desk, key: int, row: Row) -> dict[str, Any]:
    return {
        "task_comment_id": key,
        "task_id": row["task"],
        "author_email": email_of(desk, row["author"]),
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
