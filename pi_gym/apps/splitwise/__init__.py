"""Splitwise: groups, shared expenses, and who owes whom."""
