"""The evaluation of agents by the paper's protocol: every session several times, and the ablation of the past."""

from pi_gym.evaluation.evaluating import evaluate
from pi_gym.evaluation.evaluation_results import Evaluation

__all__ = ["Evaluation", "evaluate"]
