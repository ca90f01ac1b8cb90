"""Rendering of whole YAML trees.

A string leaf without braces is a constant. A leaf that is exactly one `{{ expression }}` gives the expression's own
value (a number stays a number, a list a list); any other gives text. Undefined names are errors that name the field.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from jinja2 import StrictUndefined, Template, TemplateError, Undefined
from jinja2.environment import TemplateExpression
from jinja2.sandbox import SandboxedEnvironment

from pi_gym.dates import written_day
from pi_gym.errors import SpecError
from pi_gym.numbers import fixed
from pi_gym.templates.bytecode import kept_bytecode, loaded_template

Context: TypeAlias = Mapping[str, Any]
Tree: TypeAlias = Callable[[Context], Any]

# Authors wrote these templates, so the standard `re` is safe here.
_FAULTS = (TemplateError, AttributeError, LookupError, TypeError, ValueError, ArithmeticError)
_WHOLE = re.compile(r"\A\s*\{\{((?:(?!\}\}|\{\{).)*)\}\}\s*\Z", re.DOTALL)
#: A dotted name as an expression of its own.
_NAME = re.compile(r"\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}", re.ASCII)
#: Words that Jinja does not read as the name of a value.
_NO_NAMES = frozenset(
    ["true", "false", "none", "True", "False", "None", "not", "self", "super", "loop", "caller", "varargs", "kwargs"]
)

MAX_COMPILED = 8_192
_METHODS = frozenset(("get", "items", "keys", "values"))


class Namespace(Mapping[str, Any]):
    """Values by name, readable as attributes in Python and templates alike; missing names raise with the known ones."""

    __slots__ = ("_label", "_values")

    def __init__(self, values: Mapping[str, Any], label: str) -> None:
        self._values, self._label = dict(values), label
        for name in _METHODS & self._values.keys():
            raise SpecError(f"{label}.{name}", "cannot be the name of a value: mappings have a method of that name")

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(self._missing(name)) from None

    def _missing(self, name: str) -> str:
        known = ", ".join(sorted(self._values)) or "nothing"
        return f"{self._label}.{name} is not defined; {self._label} has: {known}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[Any, ...]:
        return Namespace, (self._values, self._label)

    def __repr__(self) -> str:
        return f"{self._label}({', '.join(sorted(self._values))})"


class LateNamespace(Namespace):
    """A namespace that is made when somebody looks for one of its values.

    Args:
        make: gives the namespace; whatever it raises, the one who looks gets.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], Namespace]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name in ("_values", "_label"):  # these slots are empty until it is made
            made = self._make()
            self._values, self._label = made._values, made._label
            return getattr(made, name)
        return super().__getattr__(name)


class _Missing(StrictUndefined):
    """An undefined name; one of a namespace says what that has."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        owner, name = self._undefined_obj, self._undefined_name
        return owner._missing(str(name)) if isinstance(owner, Namespace) else super()._undefined_message


def _named(pattern: str, **parts: Any) -> str:
    return pattern.format(**parts)


def _csv_line(cells: Iterable[Any]) -> str:
    """The cells as a line of a CSV file, quoted where they have to be."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    return buffer.getvalue()


_environment = SandboxedEnvironment(
    undefined=_Missing,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,
    bytecode_cache=kept_bytecode(),
)
_environment.filters.update(csv_line=_csv_line, dated=written_day, fixed=fixed, named=_named)
_environment.globals.clear()
# The global random generator has no place in a world that is the same each time.
del _environment.filters["random"]
_environment.globals.update(range=range, dict=dict, zip=zip, enumerate=enumerate, len=len)


def compile_tree(raw: Any, field: str, read: Callable[[str], str] | None = None) -> Tree:
    """A function that renders `raw` over a context.

    Args:
        raw: YAML values; strings may be templates.
        field: where it stands, for errors.
        read: gives the text of a template file; a mapping with the single key `template` is replaced by the
            rendered file.

    Raises:
        SpecError: the file of a template cannot be read. A syntax error is told when a leaf is first filled in, or by
            `check_syntax`.
    """
    if isinstance(raw, str):
        return _compile_leaf(raw, field)
    if isinstance(raw, Mapping):
        if read is not None and set(raw) == {"template"} and isinstance(raw["template"], str):
            return _compile_leaf(read(raw["template"]), f"{field} ({raw['template']})", whole=False)
        parts = {key: compile_tree(value, f"{field}.{key}" if field else str(key), read) for key, value in raw.items()}
        if all(isinstance(part, _Constant) for part in parts.values()):
            return _Constant(raw)
        return lambda context: {key: part(context) for key, part in parts.items()}
    if isinstance(raw, list | tuple):
        items = [compile_tree(value, f"{field}[{index}]", read) for index, value in enumerate(raw)]
        if isinstance(raw, list) and all(isinstance(item, _Constant) for item in items):
            return _Constant(raw)
        return lambda context: [item(context) for item in items]
    return _Constant(raw)


class _Constant:
    """A tree without templates: it renders to what was written, which nobody changes."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, context: Context) -> Any:
        return self.value


def _compile_leaf(source: str, field: str, whole: bool = True) -> Tree:
    if "{{" not in source and "{%" not in source and "{#" not in source:
        return _Constant(source)
    parts = _plain_parts(source)
    if parts is not None:
        return _plain_leaf(parts, field, whole)
    match = _WHOLE.match(source) if whole else None
    if match:
        expression = match.group(1).strip()
        return lambda context: _evaluated(expression, context, field)

    def render(context: Context) -> str:
        try:
            return _template(source).render(context)
        except _FAULTS as error:
            raise SpecError(field, f"template: {type(error).__name__}: {error}") from error

    return render


def _plain_parts(source: str) -> list[str | tuple[str, ...]] | None:
    """A template of text and dotted names, taken apart; None where it holds more than these.

    Two thirds of all templates are so plain. Code is made of none of them: that takes longer than to fill in a few.
    """
    parts: list[str | tuple[str, ...]] = []
    end = 0
    for match in _NAME.finditer(source):
        parts += [source[end : match.start()], tuple(match.group(1).split("."))]
        end = match.end()
    parts.append(source[end:])
    for part in parts:
        if isinstance(part, tuple):
            if part[0] in _NO_NAMES:
                return None
        elif part.endswith("{") or "\r" in part or any(sign in part for sign in ("{{", "{%", "{#")):
            return None
    return parts


def _plain_leaf(parts: list[str | tuple[str, ...]], field: str, whole: bool) -> Tree:
    names = [part for part in parts if isinstance(part, tuple)]
    if whole and len(names) == 1 and not "".join(part for part in parts if isinstance(part, str)).strip():
        (name,) = names

        def value(context: Context) -> Any:
            try:
                found = _looked_up(name, context)
            except _FAULTS as error:
                raise SpecError(field, f"template: {type(error).__name__}: {error}") from error
            if isinstance(found, Undefined):
                raise SpecError(field, f"template: {found._undefined_message}")
            return found

        return value

    def render(context: Context) -> str:
        try:
            return "".join(part if isinstance(part, str) else str(_looked_up(part, context)) for part in parts)
        except _FAULTS as error:
            raise SpecError(field, f"template: {type(error).__name__}: {error}") from error

    return render


def _looked_up(name: tuple[str, ...], context: Context) -> Any:
    """The value of a dotted name, as Jinja finds it."""
    head, *rest = name
    if head in context:
        found = context[head]
    elif head in _environment.globals:
        found = _environment.globals[head]
    else:
        found = _environment.undefined(name=head)
    for attribute in rest:
        plain = type(found) is Namespace and attribute in found and not attribute.startswith("_")
        found = found[attribute] if plain else _environment.getattr(found, attribute)
    return found


@lru_cache(MAX_COMPILED)
def _template(source: str) -> Template:
    return loaded_template(_environment, source)


@lru_cache(MAX_COMPILED)
def _expression(source: str) -> Callable[..., Any]:
    template = loaded_template(_environment, f"{{% set result = ({source}) %}}")
    return TemplateExpression(template, undefined_to_none=False)


def check_syntax(raw: Any, field: str, read: Callable[[str], str] | None = None) -> None:
    """See to it that every template in a tree can be made code of, without filling it in; arguments as `compile_tree`.

    Raises:
        SpecError: one has a syntax error, or names a filter or a test that does not exist.
    """
    if isinstance(raw, Mapping):
        if read is not None and set(raw) == {"template"} and isinstance(raw["template"], str):
            _check_leaf(read(raw["template"]), f"{field} ({raw['template']})", whole=False)
            return
        for key, value in raw.items():
            check_syntax(value, f"{field}.{key}" if field else str(key), read)
    elif isinstance(raw, list | tuple):
        for index, value in enumerate(raw):
            check_syntax(value, f"{field}[{index}]", read)
    elif isinstance(raw, str):
        _check_leaf(raw, field)


def _check_leaf(source: str, field: str, whole: bool = True) -> None:
    match = _WHOLE.match(source) if whole else None
    try:
        if match:
            _expression(match.group(1).strip())
        elif any(sign in source for sign in ("{{", "{%", "{#")):
            _template(source)
    except TemplateError as error:
        raise SpecError(field, f"template: {error}") from error


def _evaluated(expression: str, context: Context, field: str) -> Any:
    try:
        value = _expression(expression)(**context)
    except _FAULTS as error:
        raise SpecError(field, f"template: {type(error).__name__}: {error}") from error
    if isinstance(value, Undefined):
        raise SpecError(field, f"template: {value._undefined_message}")
    return value


def render_text(source: str, context: Context, field: str) -> str:
    """One template, rendered to text."""
    value = _compile_leaf(source, field, whole=False)(context)
    return str(value)
