"""The live web: the asks of `web_search` and `web_fetch` answered online, where that was asked for."""

from pi_gym.web.live import LiveWeb

__all__ = ["LiveWeb"]
