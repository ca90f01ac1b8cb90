"""Models that play user and grader: how they are reached and asked, and how answers are kept."""
