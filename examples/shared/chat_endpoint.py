"""One answer of a chat model behind an OpenAI-compatible endpoint, with Python's own library."""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any


def complete(model: str, messages: list[Any], tools: list[Any]) -> dict[str, Any]:
    """The model's next message.

    Args:
        model: "MODEL@URL"; its key is OPENAI_API_KEY, where it asks for one.
        messages: the chat so far, in OpenAI's format.
        tools: the function schemas that it is offered.
    """
    name, _, url = model.partition("@")
    body = json.dumps({"model": name, "messages": messages, "tools": tools}).encode()
    key = os.environ.get("OPENAI_API_KEY", "none")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", body, headers)) as answer:
        message: dict[str, Any] = json.load(answer)["choices"][0]["message"]
    return message
