"""The live web: answering the asks of `web_search` and `web_fetch` online, where that was asked for."""

from pi_gym.web.live import LiveWeb

__all__ = ["LiveWeb"]
