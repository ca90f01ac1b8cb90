"""Models that play user and grader: how they are reached, asked, kept on disk and served."""
