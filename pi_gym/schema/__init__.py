"""The form of a pack's files: what an author may write, checked with file and field."""

from pi_gym.schema.labelled_lists import ProposalListSpec, QuestionListSpec
from pi_gym.schema.specs import (
    DrawSpec,
    EpisodeSpec,
    PackSpec,
    ParamSpec,
    PersonaSpec,
    TriggerSpec,
)
from pi_gym.schema.task_sheet import TaskSpec
from pi_gym.schema.topics import TopicFileSpec, TopicSpec
from pi_gym.schema.yaml_files import check_model, front_matter, load_model, load_yaml

__all__ = [
    "DrawSpec",
    "EpisodeSpec",
    "PackSpec",
    "ParamSpec",
    "PersonaSpec",
    "ProposalListSpec",
    "QuestionListSpec",
    "TaskSpec",
    "TopicFileSpec",
    "TopicSpec",
    "TriggerSpec",
    "check_model",
    "front_matter",
    "load_model",
    "load_yaml",
]
