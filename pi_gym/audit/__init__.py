"""The audit of tasks: bundles for readers who judge, their verdicts, and how far the rules agree with them."""
