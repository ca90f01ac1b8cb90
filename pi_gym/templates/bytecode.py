"""Keeping the bytecode of templates: Jinja takes ten times as long to make code of a template as to fill it in.

It lies where Python keeps the bytecode of this package, under the same conditions: `PYTHONDONTWRITEBYTECODE` and
`PYTHONPYCACHEPREFIX` mean for it what they mean for modules.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import Environment, Template
from jinja2.bccache import Bucket, FileSystemBytecodeCache


class _Bytecode(FileSystemBytecodeCache):
    """Jinja's own cache, in a folder that need not be there nor be ours to write in."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's bytecode if there is some."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template's bytecode if that is possible."""
        with suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def kept_bytecode() -> FileSystemBytecodeCache | None:
    """The cache in which an environment keeps the bytecode of its templates; None where Python keeps none."""
    if sys.dont_write_bytecode:
        return None
    folder = Path(cache_from_source(__file__)).parent
    return _Bytecode(str(folder), "template-%s.bytecode")


def loaded_template(environment: Environment, source: str) -> Template:
    """A template from its text, from kept bytecode where there is some.

    Raises:
        TemplateError: it has a syntax error, or names a filter or a test that does not exist.
    """
    cache = environment.bytecode_cache
    if cache is None:
        code = environment.compile(source)
    else:
        # Text and syntax decide what it is called, so no name stands for two templates.
        syntax = (environment.trim_blocks, environment.lstrip_blocks, environment.keep_trailing_newline)
        name = hashlib.sha256(f"{syntax}{source}".encode()).hexdigest()
        bucket = cache.get_bucket(environment, name, None, source)
        if bucket.code is None:
            bucket.code = environment.compile(source)
            cache.set_bucket(bucket)
        code = bucket.code
    # The environment's own globals: Jinja would put a chain of mappings around them, and copy it at each filling in.
    return environment.template_class.from_code(environment, code, environment.globals, None)
