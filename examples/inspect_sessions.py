"""Sessions as an evaluation of Inspect's, and what came of each sample.

    python examples/inspect_sessions.py --model openai/gpt-5-mini --env PiBench-Researcher-v0 --logs logs

The same from the command line: inspect eval pi_gym/researcher --model openai/gpt-5-mini --log-dir logs. Needs
pi-gym[inspect], and what Inspect needs for the model's provider.
"""

from __future__ import annotations

import argparse

from inspect_ai import eval

from pi_gym.adapters.inspect.inspect_tasks import TASKS, task_name


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--env", default="PiBench-Mini-v0")
    parser.add_argument("--task", action="append", help="these instead of all; can be repeated")
    parser.add_argument("--variant", type=int, action="append", help="worlds of the tasks; can be repeated")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--logs", default="logs")
    given = parser.parse_args()
    made = TASKS[task_name(given.env)](tasks=given.task, variants=given.variant)
    (log,) = eval(made, model=given.model, epochs=given.epochs, log_dir=given.logs, display="none")
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            told = score.value if isinstance(score.value, dict) else f"unscored: {score.explanation}"
            print(sample.id, sample.epoch, told)
    for part in log.results.scores if log.results else []:
        print(part.name, {name: round(metric.value, 3) for name, metric in part.metrics.items()})


if __name__ == "__main__":
    main()
