from __future__ import annotations

import time

from pi_gym.tools.closeness import closest_line


def test_the_most_similar_line_is_found() -> None:
    text = "alpha beta gamma\n  total: 41.2 EUR\nalpha beta\n"
    assert closest_line(text, "\n total: 41,2 EUR\nrest") == (2, "  total: 41.2 EUR")
    assert closest_line(text, "alpha beta gama") == (1, "alpha beta gamma")


def test_unlike_texts_have_no_closest_line() -> None:
    assert closest_line("one\ntwo\n", "qqqqqqqq") is None
    assert closest_line("one\n", " \n") is None
    assert closest_line("", "one") is None


def test_large_files_and_long_lines_stay_cheap() -> None:
    start = time.process_time()
    closest_line("a b c d\n" * 400_000, "a b c e")
    closest_line("a" * 2_000_000, "a" * 1_000_000)
    closest_line("a " * 1_000_000, "a " * 1_000_000)
    assert time.process_time() - start < 2
