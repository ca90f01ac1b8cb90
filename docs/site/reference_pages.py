"""The reference: pages of what the package exports, which Sphinx fills with signatures and docstrings.

Modules are read and not imported here: what the adapters need is not installed everywhere.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

#: The pages: title, what it is, and the modules whose exports stand there. "x.*" is x and all that lies in it,
#: "x.__all__" x and the modules that it exports.
PAGES: dict[str, tuple[str, str, Sequence[str]]] = {
    "pi_gym": ("pi_gym", "What `import pi_gym` gives.", ["pi_gym"]),
    "wrappers": ("Wrappers", "Other forms of the observation, and a recorder.", ["pi_gym.wrappers"]),
    "environments": (
        "Environments and sessions",
        "Making environments by their ids, many sessions side by side, and the parts of a session.",
        ["pi_gym.environments", "pi_gym.registration", "pi_gym.vector", "pi_gym.session", "pi_gym.spaces"],
    ),
    "roles": (
        "Roles",
        "What users and graders of one's own subclass, and what models cost.",
        ["pi_gym.users.base", "pi_gym.graders.base", "pi_gym.pare.person", "pi_gym.models.usage"],
    ),
    "settings": (
        "Settings and families",
        "Settings of the families' sessions, and what a family of one's own declares.",
        ["pi_gym.pibench.settings", "pi_gym.pare.pare_settings", "pi_gym.family", "pi_gym.catalogue"],
    ),
    "collecting": (
        "Collecting, evaluating, exporting",
        "Sessions collected with agents, and what is made of them.",
        ["pi_gym.rollout", "pi_gym.evaluation", "pi_gym.export", "pi_gym.loggers"],
    ),
    "adapters": ("Adapters", "Sessions in trainers, evaluations and hosts of others.", ["pi_gym.adapters.*"]),
    "authoring": ("Helpers for authors", "What a task's `right.py` may use.", ["pi_gym.authoring.__all__"]),
    "worlds": ("Seeds of worlds", "What a person's `world/*.yaml` holds, app by app.", ["pi_gym.authoring.worlds.*"]),
    "errors": ("Errors", "What is raised.", ["pi_gym.errors"]),
}


#: What Sphinx writes of a definition, by its kind.
_DIRECTIVES = {
    ast.ClassDef: ("autoclass", ":members:"),
    ast.FunctionDef: ("autofunction",),
    ast.AsyncFunctionDef: ("autofunction",),
    ast.Assign: ("autodata",),
    ast.AnnAssign: ("autodata",),
}


def reference_pages() -> dict[str, str]:
    """The pages by their paths; what stands in several modules is written once, where it comes first."""
    found: dict[str, str] = {}
    written: dict[str, str] = {}
    for name, (title, about, modules) in PAGES.items():
        found[f"reference/{name}.rst"] = "\n".join(_page(title, about, list(_modules(modules)), written)) + "\n"
    rows = "\n".join(f"| [{title}]({name}.rst) | {about} |" for name, (title, about, _) in PAGES.items())
    names = "\n".join(PAGES)
    about = "Written of signatures and docstrings. What is not here is the package's own, and may change."
    found["reference/index.md"] = (
        f"# Reference\n\n{about}\n\n| page | |\n| --- | --- |\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )
    return found


def exports(module: str) -> dict[str, str]:
    """The names that a module exports (of `__all__`, or else those that it defines), with where they are defined."""
    tree = _tree(module)
    listed = _defined(tree).get("__all__")
    if isinstance(listed, ast.Assign):
        return {name: _home(module, name) for name in ast.literal_eval(listed.value)}
    return {
        name: f"{module}.{name}"
        for name, node in _defined(tree).items()
        if not name.startswith("_")
        and isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not _is_operation(node)
    }


def outside_imports(modules: Iterable[str]) -> set[str]:
    """The top names of what modules import, the package's own left out."""
    found = set()
    for module in modules:
        for node in ast.walk(_tree(module)):
            if isinstance(node, ast.Import):
                found |= {one.name.partition(".")[0] for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - {"pi_gym"}


def all_modules() -> list[str]:
    """The modules of all pages."""
    return [name for _, _, modules in PAGES.values() for name in _modules(modules)]


def _modules(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield name.removesuffix(".*").removesuffix(".__all__")
        if name.endswith(".__all__"):
            yield from sorted(filter(_is_module, exports(name.removesuffix(".__all__")).values()))
        if name.endswith(".*"):
            package = import_module(name.removesuffix(".*"))
            yield from sorted(one.name for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


@lru_cache(None)
def _tree(module: str) -> ast.Module:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"docs/site/reference_pages.py: there is no module {module}")
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _is_operation(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is a tool of the agent's, which nobody calls in Python."""
    return any(isinstance(one, ast.Call) and ast.unparse(one.func) == "operation" for one in node.decorator_list)


def _defined(tree: ast.Module) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {one.id: node for one in node.targets if isinstance(one, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


def _home(module: str, name: str) -> str:
    """Where a name is defined that a module may only pass on."""
    tree = _tree(module)
    if name in _defined(tree):
        return f"{module}.{name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pi_gym"):
            for one in node.names:
                if (one.asname or one.name) == name:
                    inner = f"{node.module}.{one.name}"
                    return inner if find_spec(node.module) and _is_module(inner) else _home(node.module, one.name)
    raise ValueError(f"{module} exports {name!r}, which it neither defines nor imports from pi_gym")


def _is_module(path: str) -> bool:
    try:
        return find_spec(path) is not None
    except ModuleNotFoundError:
        return False


def _page(title: str, about: str, modules: Sequence[str], written: dict[str, str]) -> Iterator[str]:
    yield from (_heading(title, "="), about.replace("`", "``"), "")
    for module in modules:
        entries = [line for name, home in exports(module).items() for line in _entry(f"{module}.{name}", home, written)]
        if entries and len(modules) > 1:
            yield from (_heading(module, "-"), f".. automodule:: {module}", "   :no-members:", "   :no-index:", "")
        yield from entries


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def _entry(path: str, home: str, written: dict[str, str]) -> Iterator[str]:
    if _is_module(home):
        return
    if home in written:
        yield f"* :py:obj:`{path} <{written[home]}>`\n"
        return
    written[home] = path
    module, _, name = home.rpartition(".")
    node = _defined(_tree(module))[name]
    directive, *options = _DIRECTIVES[type(node)]
    if isinstance(node, ast.ClassDef) and {ast.unparse(one) for one in node.bases} - {"ABC", "Protocol"}:
        options.append(":show-inheritance:")
    yield from (f".. {directive}:: {path}", *(f"   {one}" for one in options), "")
