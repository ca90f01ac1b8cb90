"""Advice for requests that a server refuses; its own words say what is wrong, and not always what to do."""

from __future__ import annotations

#: By what servers say, vLLM's words and OpenAI's; the first that is found counts.
_ADVICE = (
    ("context", "serve the model with a longer context, in vLLM --max-model-len, or take one that has it"),
    ("tool-call-parser", "serve it as an agent: pi-gym serve --role agent --tool-parser NAME"),
    ("does not exist", "name the model as its server does, in vLLM --served-model-name"),
)


def advice(status: int, said: str) -> str:
    """The advice on a refusal, in parentheses; empty where nothing is known to help.

    Args:
        status: the HTTP status.
        said: the server's words.

    >>> advice(400, "This model's maximum context length is 8192 tokens.")
    '(serve the model with a longer context, in vLLM --max-model-len, or take one that has it)'
    >>> advice(404, "Not Found")
    '(look at the address: most end in /v1)'
    """
    if status not in (400, 404):
        return ""
    lowered = said.lower()
    otherwise = "look at the address: most end in /v1" if status == 404 else ""
    found = next((told for words, told in _ADVICE if words in lowered), otherwise)
    return f"({found})" if found else ""
