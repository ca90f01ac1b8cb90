"""An agent that asks what any assistant could ask, and does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import re2

from pi_gym.pibench.family import PIBENCH
from pi_gym.seeding import Stream

QUESTIONS_A_TURN = 2
_SAID_ALL = "Thanks, I have no more questions."
_TOPICS = 4
_WORD = re2.compile(r"\pL{5,}")
#: The questions of a general assistant, whatever the task is; {topic} is a word of the request.
QUESTIONS = (
    "Which format should the {topic} be in?",
    "What should the file be called?",
    "Where should I save the {topic}?",
    "When is the deadline for this?",
    "How many decimals should the numbers have?",
    "How long should the {topic} be, in words?",
    "Who will read the {topic}?",
    "Who should receive it, and who goes in copy?",
    "Which tone do you want, formal or casual?",
    "Which language should I write in?",
    "Should I write British or American spelling?",
    "Which metric matters most to you?",
    "In which order should the rows be sorted?",
    "Should the summary stand at the top or at the end?",
    "Which date format do you prefer?",
    "Which time zone do the times refer to?",
    "What is the budget for the {topic}?",
    "Which currency should amounts be in?",
    "How should I round the amounts?",
    "Should I include a table or a chart?",
    "Which columns should the table have?",
    "Which period should the {topic} cover?",
    "Which sources may I use for the {topic}?",
    "Should I cite the sources, and in which style?",
    "How should I sign the message?",
    "Which title or subject line do you want?",
    "Do you want me to send it, or only to draft it?",
    "Should I overwrite the old {topic} or make a new one?",
    "Which version of the {topic} should I start from?",
    "Is there a template that I should follow?",
    "What should I leave out of the {topic}?",
    "Which option do you prefer where two are equal?",
    "What is the highest priority in the {topic}?",
    "Who is responsible if the {topic} slips?",
    "What is the fallback if the {topic} does not work out?",
    "Should I set a reminder, and for when?",
    "How often should the {topic} be repeated?",
    "Should names be written in full or as initials?",
    "Which threshold should I use for the {topic}?",
    "Should I report the spread beside the mean?",
    "Which baseline should I compare the {topic} with?",
    "Are there people or places that I should avoid?",
)


class AskingAgent:
    """Asks two questions a turn from a bank of general ones, until the bank is empty: what blind asking earns.

    The order is drawn by task and variant; the topics are words of the request.
    """

    name = "asking"
    families = (PIBENCH.name,)

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Draw the session's questions."""
        stream = Stream("baseline", "asking", info["task_id"], info["variant"])
        topics = _topics(info["new_messages"]) or ["result"]
        self._left = [text.replace("{topic}", stream.choice(topics)) for text in stream.shuffled(QUESTIONS)]

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The next questions."""
        now, self._left = self._left[:QUESTIONS_A_TURN], self._left[QUESTIONS_A_TURN:]
        return " ".join(now) or _SAID_ALL


def _topics(messages: list[Mapping[str, Any]]) -> list[str]:
    """The longest words of the last user message, which is the request at an opening."""
    request = next((message["content"] for message in reversed(messages) if message["role"] == "user"), "")
    words = dict.fromkeys(word.lower() for word in _WORD.findall(request))
    return sorted(words, key=lambda word: (-len(word), word))[:_TOPICS]


AGENT = AskingAgent
