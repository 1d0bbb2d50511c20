"""MkDocs' hook: add pages that are made of the program, and turn links of the repository into the site's.

A page of ``docs/`` links to what a page of the reference is made of, which a reader of the repository has.
The pages in ``docs/`` are written for a reader of the repository, and are executed by the tests: their
blocks name files (```` ```yaml PATH ````) and exit codes, which MkDocs' highlighter does not know.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

from reference import ROOT, pages, schemas

#: Pages of the repository that stand elsewhere, and their places on the site.
ELSEWHERE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "BENCHMARKS.md": "project/benchmarks.md",
    "overlays/README.md": "project/example-fleet.md",
    "catalog/README.md": "project/catalog.md",
    "schemas/README.md": "project/schemas.md",
}
_PLACES = {site: repository for repository, site in ELSEWHERE.items()}
#: What pages of the reference are made of: a link to that leads to the page.
MADE_OF = {
    "renderer/cli/app.py": "reference/commands.md",
    "renderer/explanations": "reference/findings.md",
    "renderer/app/api/__init__.py": "reference/api.md",
    "renderer/authoring/templates/filters/table.py": "reference/filters.md",
    "schemas/fields.yaml": "reference/fields.md",
    "schemas/vmrender/renderconfig.json": "reference/project-file.md",
    "schemas/vmrender/instancetypeseries.json": "reference/series.md",
    "schemas/vmrender/template.json": "reference/template.md",
    "schemas/vmrender/report.json": "reference/report-json.md",
    "schemas/vmrender/diff.json": "reference/diff-json.md",
}
_EXPLANATION = re.compile(r"renderer/explanations/(.+)\.md")

_FENCE = re.compile(r"^( *)(```+)(.*)$")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def on_config(config: Any) -> Any:  # noqa: ANN401 - MkDocs' own
    """List the pages that the navigation leaves out at the end of the guides."""
    listed = set(_listed(config.nav))
    rest = [page.name for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in listed]
    if rest:
        config.nav.append({"More": rest})
    return config


def _listed(entry: Any) -> Iterator[str]:  # noqa: ANN401 - lists, mappings and texts
    if isinstance(entry, str):
        yield entry
    elif entry is not None:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _listed(each)


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401 - MkDocs' own
    """Add the pages of the reference, the schemas, and the pages from elsewhere in the repository."""
    made = {**pages(), **schemas()}
    for repository, site in ELSEWHERE.items():
        if (ROOT / repository).is_file():
            made[site] = (ROOT / repository).read_text(encoding="utf-8")
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ANN401 - as above
    """Make the page of the repository one of the site."""
    del config
    here = page.file.src_uri
    return for_site(markdown, here, {file.src_uri for file in files})


def for_site(markdown: str, here: str, there: set[str]) -> str:
    """Return the text of the page ``here`` for the site, which has the pages and files ``there``."""
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[2]
            lines.append(f"{match[1]}{fence}{_info(match[3])}")
        elif match and line.strip() == fence:
            fence = ""
            lines.append(line)
        elif fence:
            lines.append(line)
        else:
            lines.append(_LINK.sub(lambda link: _link(link, here, there), line))
    return "\n".join(lines) + "\n"


def _info(info: str) -> str:
    """Return what stands behind a fence as the highlighter knows it: a language, and a title."""
    language, _, rest = info.partition(" ")
    if language == "console" or not rest:
        return language
    return f'{language} title="{rest}"'


def _link(link: re.Match[str], here: str, there: set[str]) -> str:
    """Return a link that leads to the same on the site; the text alone where the site does not have it."""
    mark, text, target = link.groups()
    path, hash_, anchor = target.partition("#")
    if not path or ":" in path:
        return link[0]
    if here.startswith(("reference/", "glossary.md")):
        found = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
    else:
        source = _PLACES.get(here, f"docs/{here}")
        found = _on_site(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))
    if found not in there:
        return text
    relative = posixpath.relpath(found, posixpath.dirname(here) or ".")
    return f"{mark}[{text}]({relative}{hash_}{anchor})"


def _on_site(repository: str) -> str:
    """Return the place on the site of a file of the repository."""
    for path in (repository, f"{repository}/README.md"):
        found = ELSEWHERE.get(path) or MADE_OF.get(path)
        if found:
            return found
    explanation = _EXPLANATION.fullmatch(repository)
    if explanation:
        return f"reference/findings/{explanation[1]}.md"
    if (ROOT / repository).is_dir() and (ROOT / repository / "README.md").is_file():
        repository = f"{repository}/README.md"
    return repository.removeprefix("docs/")
