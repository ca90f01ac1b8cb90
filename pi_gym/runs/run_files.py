"""The names of the files in a run's folder."""

TRAJECTORIES, UNSCORED, METRICS = "trajectories.jsonl", "unscored.jsonl", "metrics.jsonl"
RUN, SUMMARY, LOCK, ERRORS = "run.json", "summary.json", "run.lock", "errors.log"
RUN_FILES = (TRAJECTORIES, UNSCORED, METRICS, ERRORS, RUN, SUMMARY, LOCK, f"{RUN}.tmp", f"{SUMMARY}.tmp")
