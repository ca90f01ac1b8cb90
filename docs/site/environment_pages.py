"""A page for each registered environment, written of its class, its specification and its packs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pi_gym.catalogue import TaskCard, TaskSet
from pi_gym.env import SessionEnv
from pi_gym.environments import base_env, make_env
from pi_gym.family import load_entry
from pi_gym.info import INFO_KEYS
from pi_gym.observation import Observer
from pi_gym.registration import registered_ids, spec_of
from pi_gym.session.protocol import Session


def environment_pages(described: Mapping[str, str]) -> dict[str, str]:
    """The pages by their paths: one for each id, their index, and descriptions of packs that have none.

    Args:
        described: by the name of a pack, the page that describes it.
    """
    found: dict[str, str] = {}
    environments = {env_id: base_env(make_env(env_id, {})) for env_id in registered_ids()}
    described = dict(described)
    for env in environments.values():
        for pack in env.packs:
            if pack.name not in described:
                described[pack.name] = f"{pack.name}.md"
                found[described[pack.name]] = load_entry(env.family.describer, "description")(pack)
    ids = {env.packs[0].name: env_id for env_id, env in environments.items() if len(env.packs) == 1}
    for env_id, env in environments.items():
        found[f"environments/{env_id}.md"] = "\n".join(_page(env_id, env, ids, described)) + "\n"
    found["environments/index.md"] = "\n".join(_index(environments)) + "\n"
    return found


def docstring_sections(kind: type) -> tuple[str, dict[str, str]]:
    """The lead of a class's docstring, and its sections by heading."""
    lead, *parts = re.split(r"^## ", inspect.getdoc(kind) or "", flags=re.MULTILINE)
    return lead.strip(), {head: body.strip() for head, _, body in (part.partition("\n") for part in parts)}


def argument_meanings(text: str) -> dict[str, str]:
    """The arguments that a docstring's "Args:" explain, one by one."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.partition("Args:\n")[2].splitlines():
        head = re.match(r"    (\w+(?:, \w+)*): (.*)", line)
        if head:
            names = head[1].split(", ")
            found |= dict.fromkeys(names, head[2])
        elif line.startswith("        "):
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
        elif line.strip():
            break
    return found


def _index(environments: Mapping[str, SessionEnv]) -> Iterator[str]:
    yield "# The environments\n"
    yield (
        "`import pi_gym` registers them with Gymnasium. Observations and actions are text in all of them;"
        " [The environment](../environment.md) says what they share.\n"
    )
    yield "| id | tasks | held out | of |\n| --- | ---: | ---: | --- |"
    for env_id, env in environments.items():
        held = sum(pack.card(one).holdout for pack in env.packs for one in pack.task_ids)
        about = env.packs[0].title if len(env.packs) == 1 else f"all of {', '.join(pack.name for pack in env.packs)}"
        yield f"| [{env_id}]({env_id}.md) | {sum(len(pack.task_ids) for pack in env.packs)} | {held} | {_cell(about)} |"
    yield "\n```{toctree}\n:hidden:\n"
    yield from environments
    yield "```"


def _page(env_id: str, env: SessionEnv, ids: Mapping[str, str], described: Mapping[str, str]) -> Iterator[str]:
    spec, kind = spec_of(env_id), type(env)
    lead, sections = docstring_sections(kind)
    yield f"# {env_id}\n"
    yield f"{lead}\n"
    yield "| | |\n| --- | --- |"
    yield f'| make | `gym.make("{env_id}")`, `gym.make_vec("{env_id}", num_envs=N)` |'
    yield f"| observation space | `{_cell(repr(env.observation_space))}` |"
    yield f"| action space | `{env.action_space!r}` |"
    yield f"| render modes | {', '.join(f'`{one}`' for one in kind.metadata['render_modes'])} |"
    counts = (f"{pack.name}: {len(pack.task_ids)}, {_held(pack)} of them held out" for pack in env.packs)
    yield f"| tasks | {'; '.join(counts)} |"
    yield f"| class | `{kind.__module__}.{kind.__qualname__}` |"
    for heading, text in sections.items():
        if heading == "Arguments":
            yield from _scores(env)
            yield from _info(env)
        yield f"\n## {heading}\n"
        if heading == "Arguments":
            yield from _arguments(kind, spec.kwargs, argument_meanings(text))
        else:
            yield text
        if heading in ("Persona", "Description") and len(env.packs) == 1 and heading == _of_pack(sections):
            yield f"\n{env.packs[0].description} ([{env.packs[0].title}](../{described[env.packs[0].name]}))"
        if heading == "Rewards":
            yield from _components(env)
            yield from _opening(env)
        if heading == "Tasks":
            yield from _tasks(env, ids, described)
        if heading == "Version":
            yield f"\nContent: {', '.join(f'{pack.name} `{pack.content_hash[:12]}`' for pack in env.packs)}."


def _of_pack(sections: Mapping[str, str]) -> str:
    """The heading below which the pack is told of."""
    return "Persona" if "Persona" in sections else "Description"


def _held(pack: TaskSet) -> int:
    return sum(pack.card(one).holdout for one in pack.task_ids)


def _components(env: SessionEnv) -> Iterator[str]:
    names = ", ".join(f"`{name}`" for name in env.family.components)
    yield f'\n`info["reward_components"]` has a step\'s reward by its parts: {names}.'


def _opening(env: SessionEnv) -> Iterator[str]:
    pack = env.packs[0]
    task_id = next(one for one in pack.task_ids if not pack.card(one).needs)
    session = env.family.preview(env, pack, task_id, 0)
    tools = [one["function"]["name"] for one in session.tool_schemas()]
    yield "\n## Starting state\n"
    yield (
        "`reset` opens a session of a task in one of its worlds. This is the observation of"
        f' `reset(options={{"task": "{task_id}", "variant": 0}})`'
        + (f", of {len(env.packs)} packs one" if len(env.packs) > 1 else "")
        + f"; the agent has {len(tools)} tools there ({_few(tools)}).\n"
    )
    yield _quoted(_shown(session))


def _few(names: list[str], most: int = 8) -> str:
    return ", ".join(f"`{one}`" for one in names[:most]) + (", …" if len(names) > most else "")


def _shown(session: Session) -> str:
    return Observer(session).observe()["history"].rstrip()


def _quoted(text: str) -> str:
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return f"{fence}{{code-block}} text\n:class: opening\n\n{text}\n{fence}"


def _scores(env: SessionEnv) -> Iterator[str]:
    yield "\n## Scores\n"
    yield "What a session comes to, and what summaries average over sessions.\n"
    yield "| name | in tables | meaning |\n| --- | --- | --- |"
    for one in env.family.shown:
        yield f"| `{one.name}` | {_cell(one.title)} | {_cell(one.meaning)} |"


def _info(env: SessionEnv) -> Iterator[str]:
    yield "\n## Info\n"
    yield "The same keys with the same types at every step; nothing is None or NaN.\n"
    yield "| key | type | meaning |\n| --- | --- | --- |"
    for key, (kind, meaning) in {**INFO_KEYS, **env.family.info_keys}.items():
        yield f"| `{key}` | {kind.__name__} | {_cell(meaning)} |"


def _arguments(kind: type, given: Mapping[str, Any], meanings: Mapping[str, str]) -> Iterator[str]:
    yield "Of `gym.make`, behind the id.\n"
    yield "| name | type | default | meaning |\n| --- | --- | --- | --- |"
    for name, one in inspect.signature(kind).parameters.items():
        default = given.get(name, one.default)
        yield f"| `{name}` | `{_cell(str(one.annotation))}` | `{default!r}` | {_cell(meanings.get(name, ''))} |"


def _tasks(env: SessionEnv, ids: Mapping[str, str], described: Mapping[str, str]) -> Iterator[str]:
    if len(env.packs) > 1:
        yield "\n| pack | tasks | held out | environment of its own | description |\n| --- | ---: | ---: | --- | --- |"
        for pack in env.packs:
            page = f"[{pack.title.partition(',')[0]}](../{described[pack.name]})"
            alone = ids.get(pack.name)
            own = f"[{alone}]({alone}.md)" if alone else ""
            yield f"| {pack.name} | {len(pack.task_ids)} | {_held(pack)} | {own} | {page} |"
        return
    (pack,) = env.packs
    cards = [pack.card(one) for one in pack.task_ids]
    columns = ["task", *_columns(cards), "split", "needs"]
    yield f"\nWhat each is about, and statistics: [{pack.title}](../{described[pack.name]}).\n"
    yield f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"
    for card in cards:
        own = [_cell(card.details.get(name, "")) for name in _columns(cards) if name != "group"]
        group = [card.group] if "group" in _columns(cards) else []
        rest = ["held out" if card.holdout else "", ", ".join(card.needs)]
        yield f"| {' | '.join([f'`{card.id}`', *group, *own, *rest])} |"


def _columns(cards: list[TaskCard]) -> list[str]:
    details = list(dict.fromkeys(name for card in cards for name in card.details))
    return [*(["group"] if any(card.group for card in cards) else []), *details]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
