"""Talking to the user: a message in the middle of the work, and a question.

What the two mean for the turn is the session's business.
"""

from __future__ import annotations

from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.outgoing import Attachment, Outgoing, content_hash

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
    attached: list[Attachment] = []
    for path in media or ():
        name = context.path(path)
        blob = context.workspace.blob(name)
        if blob is None:
            if context.workspace.is_folder(name):
                raise ToolError(f"{name or '.'!r} is a directory; only files can be attached.")
            raise context.absent(name)
        attached.append(Attachment(name, content_hash(blob.data)))
    # The user sees which files came; whoever judges the message goes by the record, not by this line.
    line = [f"[attached: {', '.join(one.path for one in attached)}]"] if attached else []
    context.outbox.append(Outgoing("\n".join([content, *line] if content else line), tuple(attached)))
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
