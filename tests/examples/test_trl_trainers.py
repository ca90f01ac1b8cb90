"""The example trainers, as programs on a random model of a few thousand weights; and what they share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from support.scripts import EXAMPLES, loaded
from support.tiny_model import save_tiny_model
from support.toy_policy import ToyPolicy
from support.toy_tokenizer import END, ToyTokenizer

import pi_gym
from pi_gym.adapters.trl import SessionRollout, make_dataset, token_sample

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
pytest.importorskip("trl", reason="needs trl and torch: make test-train")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and trl
]

MINI = "PiBench-Mini-v0"
SMALL = ["--validation", "3", "--holdout", "2", "--room", "400", "--new-tokens", "12", "--wave", "4", "--threads", "1"]
#: The small instruct model that `make test-train` brings.
MODEL = Path(os.environ.get("PI_GYM_TRAIN", ".train")).absolute() / "model"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def common() -> ModuleType:
    return loaded("shared.trainers")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return loaded("shared.generator")


def run(script: str, *arguments: object) -> str:
    """Run an example, and give what it printed."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{script}.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=1000,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def curve(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "curve.json").read_text(encoding="utf-8"))
    return found


def result(variant: int, proc: float) -> SimpleNamespace:
    values = {"proc": proc, "strict_proc": proc, "comp": proc / 2, "return": proc * 0.75}
    return SimpleNamespace(variant=variant, score=proc * 0.75, values=values, cut_short=False)


def test_runs_are_drawn_and_set_side_by_side(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: make test-train")
    for seed, gain in (("seed-0", 0.25), ("seed-1", 0.5)):
        made = loaded("shared.curve").Curve(tmp_path / seed, {})
        made.evaluated("before", "validation", [result(world, 0.25) for world in range(4)])
        for step in range(1, 13):
            made.log("grpo", step=step, loss=2.0 / step, reward=step / 12)
        made.evaluated("after", "validation", [result(world, 0.25 + gain) for world in range(4)])
    command = [sys.executable, str(EXAMPLES / "draw_runs.py"), *map(str, sorted(tmp_path.glob("seed-*")))]
    done = subprocess.run([*command, "--out", str(tmp_path)], check=True, capture_output=True, text=True)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| validation")]
    # Of each measure before, after and gained: Proc is the second.
    assert [(row[1], *row[5:8]) for row in rows] == [
        ("seed-0", "0.250", "0.500", "+0.250 (+0.250 to +0.250)"),
        ("seed-1", "0.250", "0.750", "+0.500 (+0.500 to +0.500)"),
        ("all", "0.250", "0.625", "+0.375 (+0.375 to +0.375)"),
    ]
    alone = subprocess.run([*command[:2], str(tmp_path / "none")], capture_output=True, text=True)
    assert alone.returncode == 2
    assert "expected the folder of a run" in alone.stderr


@pytest.mark.parametrize("script", ["trl_sft", "trl_grpo", "trl_dpo"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--all-items"], "expected --grader MODEL@URL"),
        (["--user", "nobody"], "expected MODEL@URL, for example"),
        (["--env", "PiBench-Nobody-v0"], "Unknown environment"),
        (["--tasks", "nonsense"], "Unknown task"),
        ([], "--model none: expected the folder of a model"),
    ],
)
def test_what_there_is_not_is_told_before_a_run_is_begun(
    script: str, given: list[str], said: str, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        str(EXAMPLES / f"{script}.py"),
        "--model",
        "none",
        "--out",
        str(tmp_path / "run"),
        *given,
    ]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=offline)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("given", [["--judge-room", "400"], ["--judge-temperature", "1", "--vllm", "colocate"]])
def test_grpo_says_where_an_evaluation_cannot_be_arranged(given: list[str], folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [sys.executable, str(EXAMPLES / "trl_grpo.py"), "--model", str(folder), "--out", str(run), *given]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=offline)
    assert done.returncode == 2
    assert "expected none with --play tools or --vllm" in done.stderr
    assert not run.exists()


def evaluations(found: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(one["when"], one["split"], one["sessions"]) for one in found["evaluations"]]


def test_sft_learns_and_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    arguments = ["--model", folder, "--out", tmp_path / "run", *SMALL, "--rate", "1e-2", "--good", "0", "--starts", "2"]
    arguments += ["--batch", "2", "--micro", "2"]
    imitation = [*arguments, "--demonstrations", "8", "--epochs", "6", "--group", "2"]
    run("trl_sft", *imitation, "--rounds", "0")
    found = curve(tmp_path / "run")
    assert evaluations(found) == [
        (when, split, size)
        for when in ("before", "after imitation")
        for split, size in (("validation", 3), ("holdout", 2))
    ]
    losses = [one["loss"] for one in found["logged"] if "loss" in one]
    assert losses[-1] < 0.8 * losses[0]
    weights = (tmp_path / "run" / "imitation" / "model.safetensors").read_bytes()
    assert weights != (folder / "model.safetensors").read_bytes()

    run("trl_sft", *imitation, "--rounds", "1", "--resume")
    later = curve(tmp_path / "run")
    assert later["evaluations"][:4] == found["evaluations"]
    assert evaluations(later)[4:] == [("after round-1", "validation", 3), ("after round-1", "holdout", 2)]
    assert (tmp_path / "run" / "imitation" / "model.safetensors").read_bytes() == weights
    played = list(pi_gym.read_trajectories(tmp_path / "run" / "round-1.jsonl"))
    assert len(played) == 4
    assert len({(one.task_id, one.variant, one.seed) for one in played}) == 2
    assert all(output["token_ids"] for one in played for output in one.policy_outputs)

    # Killed before the stage was finished: what was played is what is learnt from, and nothing is noted twice.
    lines = (tmp_path / "run" / "round-1.jsonl").read_bytes()
    (tmp_path / "run" / "round-1" / "done.json").unlink()
    run("trl_sft", *imitation, "--rounds", "1", "--resume")
    assert (tmp_path / "run" / "round-1.jsonl").read_bytes() == lines
    assert evaluations(curve(tmp_path / "run")) == evaluations(later)
    assert curve(tmp_path / "run")["logged"] == later["logged"]
    with pytest.raises(AssertionError, match="there is a run already"):
        run("trl_sft", *imitation, "--rounds", "1")


def test_sft_goes_on_behind_a_round_with_nothing_to_learn_from(folder: Path, tmp_path: Path) -> None:
    arguments = ["--model", folder, "--out", tmp_path, *SMALL, "--demonstrations", "0", "--good", "1.1"]
    small = [*arguments, "--validation", "0", "--starts", "1", "--group", "1"]
    assert "0 of 1 starts" in run("trl_sft", *small, "--rounds", "1")
    run("trl_sft", *small, "--rounds", "2", "--resume")
    assert [when for when, _, _ in evaluations(curve(tmp_path))] == ["before", "after round-1", "after round-2"]


@pytest.mark.parametrize(
    ("play", "chosen", "weights"),
    [
        ("tools", [], "model"),
        ("conversation", [], "model"),
        ("conversation", ["--bf16", "--lora-rank", "4"], "adapter_model"),
    ],
    ids=["tools", "conversation", "adapters in half precision"],
)
def test_grpo_runs(folder: Path, tmp_path: Path, play: str, chosen: list[str], weights: str) -> None:
    arguments = ["--steps", "2", "--starts", "1", "--group", "2", "--micro", "2", "--tool-format", "schemas", *chosen]
    run("trl_grpo", "--model", folder, "--out", tmp_path, *SMALL, "--play", play, *arguments)
    found = curve(tmp_path)
    assert [when for when, _, _ in evaluations(found)] == ["before", "before", "after", "after"]
    assert [one["step"] for one in found["logged"] if "reward" in one] == [1, 2]
    assert all(0 <= one["proc"] <= 1 for one in found["logged"] if "proc" in one)
    assert (tmp_path / "model" / f"{weights}.safetensors").exists()


def test_sessions_are_evaluated_in_a_room_of_their_own(folder: Path, tmp_path: Path) -> None:
    shares = []
    for room in (4, 400):
        out = tmp_path / str(room)
        few = ["--demonstrations", "0", "--rounds", "0", "--room", "200", "--judge-room", str(room)]
        run("trl_sft", "--model", folder, "--out", out, *SMALL, *few)
        shares += [one["measures"]["cut_short"]["mean"] for one in curve(out)["evaluations"]]
    assert shares == [1.0, 1.0, 0.0, 0.0]


def test_grpo_evaluates_conversations_that_the_trainer_generates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with vLLM: the trainer plays the sessions, and rows must name them to the rollout."""
    grpo, tokenizer, reward = loaded("trl_grpo"), ToyTokenizer(), loaded("trl_grpo").Rewards(tmp_path, 0)

    class Trainer:
        processing_class = tokenizer
        args = SimpleNamespace(max_completion_length=2000)

        def evaluate(self, dataset: Any) -> None:
            rows = list(dataset)
            rollout = SessionRollout(MINI, tool_format="text", generate=ToyPolicy(tokenizer, rows))
            reward([], [], pi_result=rollout([row["prompt"] for row in rows], self)["pi_result"])

    asked = SimpleNamespace(env=MINI, tasks=None, seed=0, validation=2, holdout=1, play="conversation", out=tmp_path)
    curve = loaded("shared.curve").Curve(tmp_path, {})
    grpo.evaluate(asked, Trainer(), reward, curve, "before")
    assert [one["measures"]["return"]["mean"] for one in curve.evaluations] == pytest.approx([1.0, 1.0])


class Scripted:
    """Generates what a list says, whatever is asked."""

    def __init__(self, tokenizer: ToyTokenizer, *said: str) -> None:
        self.tokenizer, self.said = tokenizer, list(said)

    def __call__(self, prompts: list[list[int]], trainer: Any) -> tuple[list[list[int]], None]:
        return [self.tokenizer(self.said.pop(0), add_special_tokens=False)["input_ids"] for _ in prompts], None


def test_what_a_session_was_cut_off_in_is_not_learnt() -> None:
    sft, tokenizer = loaded("trl_sft"), ToyTokenizer()
    rollout = SessionRollout(MINI, generate=Scripted(tokenizer, "Which one?" + END, "I " * 500))
    (one,) = rollout.play(make_dataset(MINI, size=1), tokenizer, max_completion_length=300)
    assert len(one.sample.completion_ids) == 300
    (kept,) = sft.best([one.trajectory], 0.0, lambda record: token_sample(record, tokenizer))
    made = [number for number, ours in zip(kept.completion_ids, kept.env_mask, strict=True) if ours]
    assert tokenizer.decode(made) == "Which one?" + END


def test_the_best_session_of_each_start_is_kept_and_the_shorter_one_of_equals() -> None:
    sft, tokenizer = loaded("trl_sft"), ToyTokenizer()
    rows = [row for row in make_dataset(MINI, size=2) for _ in range(2)]
    said = ("One.", "Two, which is longer.", "Three, which is longer.", "Four.")
    rollout = SessionRollout(MINI, generate=Scripted(tokenizer, *(text + END for text in said)), max_steps=1)
    records = [one.trajectory for one in rollout.play(rows, tokenizer, max_completion_length=300)]
    kept = sft.best(records, 0.0, lambda record: token_sample(record, tokenizer))
    assert [tokenizer.decode(one.completion_ids) for one in kept] == ["One." + END, "Four." + END]
    assert sft.best(records, 0.5, lambda record: token_sample(record, tokenizer)) == []


@pytest.mark.parametrize(
    ("split", "found"), [("train", {"02-order"}), ("validation", {"02-order"}), ("holdout", {"04-notice"})]
)
def test_tasks_are_those_that_were_asked_for_and_held_out_ones_stay(
    common: ModuleType, split: str, found: set[str]
) -> None:
    asked = SimpleNamespace(env=MINI, tasks=["02-order"], seed=3)
    assert {row["task"] for row in common.session_rows(asked, split, 4)} == found


def test_a_group_that_two_waves_play_has_no_sample_twice(common: ModuleType) -> None:
    tokenizer = ToyTokenizer()
    rows = [row for row in make_dataset(MINI, size=2) for _ in range(3)]
    rollout = SessionRollout(MINI, generate=Scripted(tokenizer, *["Done." + END] * 6), max_steps=1)
    records = [one.trajectory for one in common.play(rollout, rows, tokenizer, 300, 2)]
    assert [record.sample for record in records] == [0, 1, 2, 0, 1, 2]
    assert [(one.task_id, one.variant) for one in records] == [(row["task"], row["variant"]) for row in rows]


@pytest.mark.parametrize("size", [1, 3, 4, 50])
def test_waves_are_as_few_as_can_be_and_hold_every_row_once_tasks_together(common: ModuleType, size: int) -> None:
    rows = make_dataset(MINI, size=25)
    found = list(common.waves(rows, size))
    assert sorted(place for wave in found for place in wave) == list(range(25))
    assert max(map(len, found)) <= size
    assert len(found) == -(-25 // size)
    tasks = [rows[place]["task"] for wave in found for place in wave]
    assert tasks == sorted(tasks)


def test_grpo_refuses_a_template_without_tools(folder: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl.chat_template_utils import phi3_chat_template

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = phi3_chat_template
    tokenizer.add_tokens(["<|other|>"])
    content = json.loads(tokenizer.backend_tokenizer.to_str().replace("<|im_start|>", "<|began|>"))
    AutoModelForCausalLM.from_pretrained(folder).save_pretrained(tmp_path / "plain")
    tokenizer.save_pretrained(tmp_path / "plain")
    (tmp_path / "plain" / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(AssertionError, match="--play conversation --tool-format text"):
        run("trl_grpo", "--model", tmp_path / "plain", "--out", tmp_path / "run", *SMALL, "--steps", "1")


def test_dpo_prefers_the_better_session(folder: Path, tmp_path: Path) -> None:
    for agent in ("reference", "silent"):
        pi_gym.collect(MINI, agent, split="train", sessions=6, seed=0, out=tmp_path / agent)
    both = tmp_path / "both.jsonl"
    records = [one for agent in ("reference", "silent") for one in pi_gym.read_trajectories(tmp_path / agent)]
    both.write_text("".join(one.to_line() + "\n" for one in records), encoding="utf-8")
    told = run(
        "trl_dpo", "--model", folder, "--out", tmp_path / "run", *SMALL, "--run", both,
        "--rate", "5e-3", "--batch", "2", "--epochs", "3",
    )  # fmt: skip
    assert "6 pairs of 12 sessions" in told
    logged = [one for one in curve(tmp_path / "run")["logged"] if "margin" in one]
    assert logged[-1]["margin"] > logged[0]["margin"]
    assert logged[-1]["loss"] < logged[0]["loss"]


@pytest.mark.parametrize("options", [{"split": "validation"}, {"split": "holdout"}, {"split": "test"}])
def test_dpo_learns_from_no_session_that_is_for_evaluation(tmp_path: Path, options: dict[str, Any]) -> None:
    dpo = loaded("trl_dpo")
    pi_gym.collect(MINI, "silent", sessions=1, out=tmp_path, **options)
    records = list(pi_gym.read_trajectories(tmp_path))
    with pytest.raises(SystemExit, match="not of the train split"):
        dpo.require_train(SimpleNamespace(env=MINI, run=tmp_path), records)
    with pytest.raises(SystemExit, match="expected sessions of --env PiBench-Researcher-v0, got PiBench-Mini-v0"):
        dpo.require_train(SimpleNamespace(env="PiBench-Researcher-v0", run=tmp_path), records)


def test_dpo_says_what_to_do_without_pairs(folder: Path, tmp_path: Path) -> None:
    pi_gym.collect(MINI, "silent", split="train", sessions=2, out=tmp_path / "silent")
    with pytest.raises(AssertionError, match="no two sessions of one start"):
        run("trl_dpo", "--model", folder, "--out", tmp_path / "run", *SMALL, "--run", tmp_path / "silent")


def test_dpo_masks_what_the_environment_said() -> None:
    dpo = loaded("trl_dpo")
    rows = [
        {"prompt_ids": [1, 2], "chosen_ids": [3, 4, 5], "rejected_ids": [6]},
        {"prompt_ids": [1], "chosen_ids": [7, 8], "rejected_ids": [9, 9]},
    ]
    rows[0] |= {"chosen_mask": [1, 0, 1], "rejected_mask": [1]}
    rows[1] |= {"chosen_mask": [0, 1], "rejected_mask": [1, 0]}
    batch = dpo.Collator(pad_token_id=0)(rows)
    assert batch["input_ids"].tolist() == [[1, 2, 3, 4, 5], [1, 7, 8, 0, 0], [1, 2, 6, 0, 0], [1, 9, 9, 0, 0]]
    assert batch["completion_mask"].tolist() == [[0, 0, 1, 0, 1], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0]]


class Plain:
    """Generates for each session by itself, from its beginning."""

    def __init__(self, model: Any, tokenizer: Any, new_tokens: int) -> None:
        self.model, self.tokenizer, self.new_tokens = model, tokenizer, new_tokens

    def __call__(self, prompts: list[list[int]], trainer: Any) -> tuple[list[list[int]], None]:
        import torch

        made = []
        for prompt in prompts:
            ids = torch.tensor([prompt])
            out = self.model.generate(
                input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=self.new_tokens, do_sample=False
            )
            made.append(out[0, len(prompt) :].tolist())
        return made, None


@pytest.mark.parametrize("tool_format", ["text", "schemas"])
@pytest.mark.parametrize("tasks", [["01-sign"], ["01-sign", "03-slip"]])
def test_a_cache_of_the_whole_session_changes_no_token(
    folder: Path, common: ModuleType, generator: ModuleType, tool_format: Any, tasks: list[str]
) -> None:
    model, tokenizer = common.load(folder)
    # Actions of different lengths, so that sessions end at different times and wait for each other.
    model.generation_config.exponential_decay_length_penalty = (4, 1.8)
    rows = make_dataset(MINI, split="train", size=5, tasks=tasks)
    found = []
    for generate in (generator.Generator(model, tokenizer, new_tokens=24), Plain(model, tokenizer, 24)):
        rollout = SessionRollout(MINI, tool_format=tool_format, generate=generate)
        found.append([one.sample for one in rollout.play(rows, tokenizer, max_completion_length=500)])
    assert found[0] == found[1]
    assert len({len(sample.completion_ids) for sample in found[0]}) > 1


def test_grouped_attention_is_attention(generator: ModuleType) -> None:
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    torch.manual_seed(0)
    query, key, value = torch.randn(3, 6, 1, 8), torch.randn(3, 2, 11, 8), torch.randn(3, 2, 11, 8)
    mask = torch.rand(3, 1, 1, 11) > 0.3
    mask[..., 0] = True

    class Module(torch.nn.Module):
        num_key_value_groups = 3
        is_causal = True

    theirs, _ = sdpa_attention_forward(Module(), query, key, value, mask)
    ours, _ = generator.grouped_attention(Module(), query, key, value, mask)
    assert torch.allclose(ours, theirs, atol=1e-6)


def test_to_score_what_is_learnt_alone_gives_the_same_gradient(
    folder: Path, common: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from trl.trainer import utils

    assert utils._use_triton(torch.device("cpu")) != torch.cuda.is_available()  # the trainers have seen to it
    model, _ = common.load(folder)
    utils.add_fused_lm_head(model, outputs=("log_probs", "entropy"))
    torch.manual_seed(0)
    ids = torch.randint(5, 200, (2, 30))
    labels = ids.masked_fill(torch.arange(30) < 20, -100)
    found = []
    for learnt_alone in (True, False):
        monkeypatch.setattr(utils, "_use_triton", lambda device, chosen=learnt_alone: chosen)
        model.zero_grad()
        out = model(input_ids=ids, labels=labels, fused_lm_head=True)
        out.loss.backward()
        found.append([out.log_probs.detach(), out.entropy.detach(), *(one.grad.clone() for one in model.parameters())])
    assert found[0][0].count_nonzero() == 20
    for ours, theirs in zip(*found, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("bf16", [False, True])
def test_a_roomy_cache_grows_is_chosen_from_and_keeps_what_it_has(generator: ModuleType, bf16: bool) -> None:
    import torch

    layer, dtype = generator.RoomyLayer(), torch.bfloat16 if bf16 else torch.float32
    layer.room = 3
    kept = torch.empty(4, 2, 0, 8), torch.empty(4, 2, 0, 8, dtype=dtype)
    for length in (5, 1, 1, 1, 1, 7):
        news = torch.randn(kept[0].shape[0], 2, length, 8), torch.randn(kept[0].shape[0], 2, length, 8).to(dtype)
        found = layer.update(*news)
        kept = torch.cat([kept[0], news[0]], 2), torch.cat([kept[1], news[1]], 2)
        assert layer.get_seq_length() == kept[0].shape[2]
        assert torch.equal(found[0], kept[0].to(dtype))
        assert torch.equal(found[1], kept[1])
        if len(kept[0]) > 2:
            chosen = torch.arange(1, len(kept[0]))
            layer.batch_select_indices(chosen)
            kept = kept[0][chosen], kept[1][chosen]


@pytest.mark.skipif(not MODEL.exists(), reason=f"no small model at {MODEL}: make test-train brings it")
def test_a_short_run_with_the_small_instruct_model(tmp_path: Path) -> None:
    """The proof of docs/training.md in a few steps: the loss falls, and both splits are looked at."""
    run(
        "trl_sft", "--model", MODEL, "--out", tmp_path, "--demonstrations", "12", "--epochs", "1", "--batch", "2",
        "--micro", "2", "--rounds", "0", "--validation", "4", "--holdout", "2", "--room", "400", "--new-tokens", "24",
    )  # fmt: skip
    found = curve(tmp_path)
    losses = [one["loss"] for one in found["logged"] if "loss" in one]
    assert sum(losses[-3:]) < 0.7 * sum(losses[:3])
    assert len(found["evaluations"]) == 4
