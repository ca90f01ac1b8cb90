"""Todoist: projects with sections, tasks, sub-tasks, labels and comments."""
