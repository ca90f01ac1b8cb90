"""A rule script in the official form."""

TOOL = "mcp_appworld_todoist__create_task"


def score(tools_history):
    made = [one for one in tools_history if one["tool_name"] == TOOL]
    numbered = [one for one in made if isinstance(one["result"].get("response", {}).get("task_id"), int)]
    return {
        "two_tasks": int(len(numbered) >= 2),
        "says_compost": any("compost" in one["call"]["title"].lower() for one in made),
        "nothing_sent": not any("send_email" in one["tool_name"] for one in tools_history),
    }
