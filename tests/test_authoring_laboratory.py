"""Helpers for laboratory and pharmacy, against figures that stand elsewhere."""

from __future__ import annotations

import statistics
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.authoring import (
    curves,
    measures,
    next_weekday,
    plate,
    redraw,
    replicates,
    stock,
    telling,
    working_day_after,
    working_day_before,
)
from pi_gym.numbers import fixed
from pi_gym.predicates.figures import significant_digits
from pi_gym.seeding import Stream

#: Ascension Day and the day after it, and Whit Monday, of 2026.
SHUT = [date(2026, 5, 14), date(2026, 5, 15), date(2026, 5, 25)]


def test_doubling_is_a_slope_of_3_32_and_the_accepted_efficiencies_are_90_to_110_percent() -> None:
    for slope, efficiency in ((-3.3219, 100), (-3.5873, 90), (-3.1034, 110)):
        found, factor = curves.standard_curve([(-k, 18 - slope * k) for k in range(5)])
        assert found == pytest.approx(slope)
        assert 100 * (factor - 1) == pytest.approx(efficiency, abs=0.05)
    for points in ([(0, 18.0), (-1, 17.0)], [(0, 18.0)], []):
        with pytest.raises(ValueError, match=r"curve falls|two x"):
            curves.standard_curve(points)


@given(top=st.floats(60, 100), bottom=st.floats(1, 30), half=st.floats(2, 500))
def test_a_half_point_lies_between_the_doses_that_enclose_it(top: float, bottom: float, half: float) -> None:
    doses = [10**power for power in (-1, 0, 1, 2, 3, 4)]
    points = [(dose, bottom + (top - bottom) / (1 + dose / half)) for dose in doses]
    found = curves.half_point(points, top, bottom)
    assert found is not None
    low = max(dose for dose in doses if dose <= half * (1 + 1e-9))
    assert low <= found * (1 + 1e-9) <= 10 * low * (1 + 1e-6)


def test_a_hook_is_no_part_of_the_curve_and_a_curve_that_never_gets_there_has_no_point() -> None:
    points = [(1.0, 96.0), (10.0, 60.0), (100.0, 20.0), (1000.0, 70.0)]
    assert curves.until_lowest(points) == points[:3]
    assert curves.half_point(points[:2]) is None
    assert curves.crossing([(1, 0), (3, 10)], 5, log=False) == 2
    assert curves.crossing([(1, 0), (3, 10)], 10) == 3


def test_z_prime_is_half_where_the_controls_spread_over_a_twelfth_of_what_lies_between_them() -> None:
    assert curves.z_prime([99, 101, 100], [0, 0, 0]) == pytest.approx(1 - 3 * statistics.stdev([99, 101, 100]) / 100)
    for one, other in (([1, 2], [2, 1]), ([1], [5, 6])):
        with pytest.raises(ValueError, match="two values"):
            curves.z_prime(one, other)


@given(values=st.lists(st.floats(15, 35), min_size=3, max_size=3))
def test_ways_to_combine_replicates_stay_within_them(values: list[float]) -> None:
    for how in replicates.WAYS:
        assert min(values) - 1e-9 <= replicates.combine_replicates(values, how) <= max(values) + 1e-9
    near = replicates.combine_replicates(values, "nearest")
    low, middle, high = sorted(values)
    assert near in (statistics.fmean([low, middle]), statistics.fmean([middle, high]))
    with pytest.raises(ValueError, match="mean, median, nearest, trimmed"):
        replicates.combine_replicates(values, "mode")


def test_a_plate_reads_the_same_as_a_list_and_as_a_grid() -> None:
    wells = {well: place for place, well in enumerate(plate.WELLS)}
    assert len(plate.WELLS) == 96
    grid = [line.split(",") for line in plate.plate_csv(wells, grid=True).splitlines()]
    assert [len(line) for line in grid] == [13] * 9
    listed = dict(line.split(",") for line in plate.plate_csv(wells).splitlines()[1:])
    heads = grid[0][1:]
    assert {f"{row}{head}": cell for row, *cells in grid[1:] for head, cell in zip(heads, cells, strict=True)} == listed
    with pytest.raises(ValueError, match="A1 to H12"):
        plate.plate_csv({"I1": 1})


@given(number=st.floats(1e-4, 1e6), figures=st.integers(1, 4))
def test_a_number_has_the_significant_figures_that_it_was_written_with(number: float, figures: int) -> None:
    text = measures.significant(number, figures)
    least, most = significant_digits(text) or (0, 0)
    assert least <= figures <= most or (number >= 10**figures and most >= figures)
    assert float(text) == pytest.approx(number, rel=0.51 * 10 ** (1 - figures))


def test_days_over_closed_ones() -> None:
    assert str(working_day_after("2026-05-13", 1, SHUT)) == "2026-05-18"
    assert str(working_day_before("2026-05-18", 1, SHUT)) == "2026-05-13"
    assert str(next_weekday("2026-05-19", [0, 1, 2], SHUT)) == "2026-05-19"
    assert str(next_weekday("2026-05-21", [0], SHUT)) == "2026-06-01"
    with pytest.raises(ValueError, match=r"0 .Monday. to 4"):
        next_weekday("2026-05-21", [5, 6])


@pytest.mark.parametrize(
    ("ordered", "leaves", "days", "cold", "there"),
    [
        ("2026-05-08", range(3), 1, True, "2026-05-12"),
        ("2026-05-08", range(5), 1, False, "2026-05-11"),
        ("2026-05-08", [1], 1, False, "2026-05-13"),
        ("2026-05-08", range(5), 2, False, "2026-05-12"),
        ("2026-05-08", [1], 2, False, "2026-05-18"),
        ("2026-05-08", range(5), 4, False, "2026-05-18"),
        ("2026-05-15", range(3), 1, True, "2026-05-19"),
        ("2026-05-22", range(3), 1, True, "2026-05-27"),
    ],
)
def test_an_order_arrives_over_closed_days(ordered: str, leaves: range, days: int, cold: bool, there: str) -> None:
    assert str(stock.arrival(ordered, leaves, days, SHUT, cold=cold)) == there


def test_cold_goods_that_can_never_come_in_time_are_refused() -> None:
    with pytest.raises(ValueError, match="never arrive"):
        stock.arrival("2026-05-08", [4], 1, cold=True)


@given(need=st.floats(0, 5000), there=st.floats(0, 3000), pack=st.integers(1, 500))
def test_the_packs_that_are_needed_are_enough_and_one_less_is_not(need: float, there: float, pack: int) -> None:
    packs = stock.packs_needed(need, there, pack)
    assert there + packs * pack >= need - 1e-6 * pack
    assert packs == 0 or there + (packs - 1) * pack < need


def test_a_shelf_runs_out_at_the_first_use_that_it_has_not_enough_for() -> None:
    uses = [("2026-05-20", 100.0), ("2026-05-11", 200.0), (date(2026, 5, 13), 50.0)]
    assert stock.runs_out(uses, 350) is None
    assert stock.runs_out(uses, 349) == date(2026, 5, 20)


def test_what_is_drawn_tells_wishes_apart_or_the_author_hears_of_it() -> None:
    stream = Stream("telling")

    def answers(world: float) -> list[list[str]]:
        return [[fixed(world * factor, 0), "x"] for factor in (1, 1.02, 1.05)]

    world = redraw(lambda: stream.uniform(1, 100), lambda drawn: telling.are_apart(answers(drawn)))
    assert len({one[0] for one in answers(world)}) == 3
    with pytest.raises(ValueError, match=f"{telling.TRIES} draws"):
        redraw(lambda: stream.uniform(1, 2), lambda drawn: telling.are_apart(answers(drawn), 2))
