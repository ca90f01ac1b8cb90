"""The form of a pack's files: what an author may write, checked with file and field."""

from pi_gym.schema.specs import (
    CheckSpec,
    DrawSpec,
    EpisodeSpec,
    IntentSpec,
    PackSpec,
    ParamSpec,
    PersonaSpec,
    RecoverSpec,
    TaskSpec,
    TriggerSpec,
)
from pi_gym.schema.topics import TopicFileSpec, TopicSpec
from pi_gym.schema.yaml_files import check_model, front_matter, load_model, load_yaml

__all__ = [
    "CheckSpec",
    "DrawSpec",
    "EpisodeSpec",
    "IntentSpec",
    "PackSpec",
    "ParamSpec",
    "PersonaSpec",
    "RecoverSpec",
    "TaskSpec",
    "TopicFileSpec",
    "TopicSpec",
    "TriggerSpec",
    "check_model",
    "front_matter",
    "load_model",
    "load_yaml",
]
