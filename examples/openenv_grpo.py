"""Train with TRL's GRPO on sessions of another machine, as TRL's own examples of OpenEnv do: tools that ask a server.

    pi-gym serve-env PiBench-Mini-v0 --split train --port 8000 --max-sessions 64
    python examples/openenv_grpo.py --model MODEL --server http://127.0.0.1:8000 --out runs/openenv-grpo

`environment_factory` makes an object for each rollout, with a connection of its own. Its methods are the model's tools,
here those of PiBench-Mini-v0, and `reply_to_user` for what is said to the user. The reward is the session's return, and
None, which TRL masks, where it is unscored. Needs pi-gym[openenv] and TRL 1.16; in one process with the sessions there
is less to do (examples/trl_grpo.py).
"""

from __future__ import annotations

import argparse
import json
import urllib.request
from functools import partial
from typing import Any

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from pi_gym.adapters.openenv.session_client import SessionClient
from pi_gym.adapters.openenv.session_messages import SessionAction


class SessionTools:
    """The tools of one rollout; they are run by the server.

    Args:
        url: of the server.
    """

    def __init__(self, url: str) -> None:
        self._client = SessionClient(url).sync()
        self._result: Any = None

    def reset(self, task: str, variant: int, seed: int, **row: Any) -> str:
        """Open the session of a row; gives the prompt."""
        self._result = self._client.reset(task=task, variant=variant, seed=seed)
        return self._news()

    def read_file(self, path: str) -> str:
        """Read a text file.

        Args:
            path: the file, relative to the workspace root.
        """
        return self._call("read_file", path=path)

    def write_file(self, path: str, content: str) -> str:
        """Create a file or overwrite it whole.

        Args:
            path: the file, relative to the workspace root.
            content: the whole new content.
        """
        return self._call("write_file", path=path, content=content)

    def reply_to_user(self, content: str) -> str:
        """Say something to the user and end your turn; the result is what the user says next.

        Args:
            content: what to say: questions, or what you have done.
        """
        return self._act(message={"role": "assistant", "content": content})

    def _call(self, name: str, **arguments: Any) -> str:
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": "call", "type": "function", "function": function}
        return self._act(message={"role": "assistant", "content": "", "tool_calls": [call]})

    def _act(self, **action: Any) -> str:
        if not self._result.done:
            self._result = self._client.step(SessionAction(**action))
        return self._news() or "(The conversation is over.)"

    def _news(self) -> str:
        return "\n\n".join(message["content"] for message in self._result.observation.messages)

    def _finish(self, last: dict[str, Any]) -> float | None:
        """End the session behind what the model said last; gives its return."""
        words = None if last.get("tool_calls") or last["role"] != "assistant" else last
        self._act(message=words, end=True)
        reward: float | None = self._result.reward
        return reward


def session_return(completions: list[Any], environments: list[SessionTools], **columns: Any) -> list[float | None]:
    """The reward of each rollout."""
    return [one._finish(messages[-1]) for one, messages in zip(environments, completions, strict=True)]


def fetch_rows(url: str, variants: int) -> list[dict[str, Any]]:
    """Rows of a training set: worlds of all tasks that the server trains on."""
    with urllib.request.urlopen(f"{url}/list_environments") as answer:
        (name,) = json.load(answer)
    request = urllib.request.Request(
        f"{url}/{name}/tasks", json.dumps({"split": "train"}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        tasks = json.load(answer)["tasks"]
    prompt = [{"role": "user", "content": ""}]
    return [{**row, "variant": number + 1, "prompt": prompt} for number in range(variants) for row in tasks]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--out", required=True)
    parser.add_argument("--variants", type=int, default=100, help="worlds of each task")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--group", type=int, default=4, help="how often each start is played")
    parser.add_argument("--room", type=int, default=1024, help="tokens of a rollout")
    parser.add_argument("--cpu", action="store_true")
    given = parser.parse_args()
    trainer = GRPOTrainer(
        model=given.model,
        reward_funcs=session_return,
        environment_factory=partial(SessionTools, given.server),
        train_dataset=Dataset.from_list(fetch_rows(given.server, given.variants)),
        args=GRPOConfig(
            output_dir=given.out,
            max_steps=given.steps,
            num_generations=given.group,
            per_device_train_batch_size=given.group,
            max_completion_length=given.room,
            use_cpu=given.cpu,
            bf16=not given.cpu,
            logging_steps=1,
            report_to="none",
        ),
    )
    trainer.train()
    print(json.dumps(trainer.state.log_history))


if __name__ == "__main__":
    main()
