"""The PiBench family: assistant work for a simulated user with hidden intents and a final checklist."""

from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits, SessionConfig

__all__ = ["Limits", "PiSession", "SessionConfig"]
