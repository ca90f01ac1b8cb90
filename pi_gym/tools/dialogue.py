"""Talking to the user: a message in the middle of the work, and a question.

What the two mean for the turn is the session's business.
"""

# ruff: noqa: D417 - the decorator sees to it that every argument of the agent is described
from __future__ import annotations

from pi_gym.tools.declare import ToolContext, ToolError, operation

MAX_MEDIA = 20
MAX_OPTIONS = 20


@operation("write")
def message(
    context: ToolContext,
    content: str,
    media: list[str] | None = None,
    channel: str | None = None,
    chat_id: str | None = None,
) -> str:
    """Send a message to the user and go on working. It does not end the turn.

    Args:
        content: the text.
        media: workspace files to attach.
        channel: accepted and ignored; there is one channel.
        chat_id: accepted and ignored; there is one user.
    """
    if not content.strip() and not media:
        raise ToolError("The message is empty; write content or attach a file.")
    if len(media or ()) > MAX_MEDIA:
        raise ToolError(f"At most {MAX_MEDIA} files can be attached, not {len(media or ())}.")
    names: list[str] = []
    for path in media or ():
        name = context.path(path)
        if context.workspace.blob(name) is None:
            if context.workspace.is_folder(name):
                raise ToolError(f"{name or '.'!r} is a directory; only files can be attached.")
            raise context.absent(name)
        names.append(name)
    attached = [f"[attached: {', '.join(names)}]"] if names else []
    context.outbox.append("\n".join([content, *attached] if content else attached))
    return "Sent."


@operation("read")
def ask_user(context: ToolContext, question: str, options: list[str] | None = None) -> str:
    """Ask the user a question and wait for the answer. It ends the turn, so it must be the last call of an action.

    Args:
        question: the question, in full.
        options: answers to choose from.
    """
    if not question.strip():
        raise ToolError("The question is empty; write what you want to know.")
    if len(options or ()) > MAX_OPTIONS:
        raise ToolError(f"At most {MAX_OPTIONS} options can be offered, not {len(options or ())}.")
    if any(not option.strip() for option in options or ()):
        raise ToolError("An option is empty; every option needs a text.")
    return ""
