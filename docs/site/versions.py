"""The versions of the site that lie beside one another."""

from __future__ import annotations

import json
from pathlib import Path

from packaging.version import InvalidVersion, Version

FIRST = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>pi_gym</title><meta http-equiv="refresh" content="0; url={0}/index.html"></head>
<body><a href="{0}/index.html">pi_gym {0}</a></body>
</html>
"""


def versions(site: Path) -> list[str]:
    """The versions that a site's folder holds, the newest first; names that are no version come last."""

    def order(name: str) -> tuple[bool, Version, str]:
        try:
            return True, Version(name), name
        except InvalidVersion:
            return False, Version("0"), name

    return sorted((path.parent.name for path in site.glob("*/objects.inv")), key=order, reverse=True)


def list_versions(site: Path) -> None:
    """Write which versions there are, and a first page that leads to the newest.

    The list is a program and not JSON: a page that is opened as a file may not read another file.
    """
    found = versions(site)
    (site / "versions.js").write_text(f"window.siteVersions = {json.dumps(found)};\n", encoding="utf-8")
    (site / "index.html").write_text(FIRST.format(found[0]), encoding="utf-8")
