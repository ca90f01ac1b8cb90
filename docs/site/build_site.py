"""Build the site of the documentation: `python docs/site/build_site.py --out build/site`.

A site is a folder for each version, a list of them, and a first page that leads to the newest. A build writes its own
version alone, so that several can be built beside one another, each from its own checkout.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from assembly import ROOT, SITE, BadSite, assemble, clean
from gallery_pages import BadGallery
from sphinx.cmd.build import main as sphinx
from versions import list_versions

from pi_gym import __version__


def main() -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the site's folder; other versions in it stay")
    parser.add_argument("--version", default=__version__, help="the name of this one (default: the package's version)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "docs", help="for what is kept between builds")
    parser.add_argument("--check-links", action="store_true", help="only ask whether links to other sites work")
    given = parser.parse_args()
    if not re.fullmatch(r"\w[\w.-]*", given.version):
        parser.error(f"--version: expected a folder's name such as 0.1.0 or main, got {given.version!r}")
    os.environ |= {"PI_GYM_SITE_CODE": str(SITE), "PI_GYM_SITE_VERSION": given.version}
    source, kept = given.work / "source", given.work / "doctrees"
    try:
        assemble().write(source)
    except (BadSite, BadGallery) as error:
        print(error, file=sys.stderr)
        return 1
    common = ["-c", str(SITE), "-d", str(kept), "-j", "2", "-q"]
    if given.check_links:
        return int(sphinx(["-b", "linkcheck", *common, str(source), str(given.work / "links")]))
    out = given.out / given.version
    clean(out)
    failed = int(sphinx(["-b", "html", "-W", "--keep-going", *common, str(source), str(out)]))
    if not failed:
        list_versions(given.out)
        print(f"built {out / 'index.html'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
