"""The README is true: its commands print what it shows, and findings look as it shows them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.docs.test_pages import DOCS, Reader

ROOT = DOCS.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(beginning: str) -> str:
    """The block of the README with a command."""
    [found] = re.findall(rf"^```console\n\$ {re.escape(beginning)}.*?^```$", README, re.MULTILINE | re.DOTALL)
    return f"```console\n$ {beginning}{found.partition(beginning)[2]}\n"


def test_fleet_is_rendered_as_shown(tmp_path: Path) -> None:
    reader = Reader.sits_down(tmp_path)
    shutil.copytree(ROOT / "overlays", reader.repository / "overlays")
    shutil.copy(ROOT / "vmrender.yaml", reader.repository)
    make = reader.programs / "make"
    make.write_text("#!/bin/sh\necho .venv/bin/vmrender $1\nexec vmrender $1\n", encoding="utf-8")
    make.chmod(0o755)
    reader.reads(block("make render"))
    assert not reader.differences, "\n".join(reader.differences)
    for path in re.findall(r"`((?:overlays|rendered)/\S+\.yaml)`", README):
        assert (reader.repository / path).is_file(), path


def test_walkthrough_of_an_existing_repository_is_as_shown(tmp_path: Path) -> None:
    """The repository is that of the page linked from the README."""
    reader = Reader.sits_down(tmp_path)
    page = (DOCS / "existing-repositories.md").read_text(encoding="utf-8")
    files, _, _ = page.partition("```console")
    reader.reads(files)
    reader.reads(block("vmrender init"))
    assert not reader.differences, "\n".join(reader.differences)


def test_each_page_is_linked_from_another() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")}
    texts = {**pages, "README.md": README}
    alone = [
        name
        for name in pages
        if not any(re.search(rf"\]\((docs/)?{name}", text) for other, text in texts.items() if other != name)
    ]
    assert alone == []


def test_links_of_the_readme_are_not_broken() -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README)
    assert len(targets) > 20
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_quoted_finding_is_a_real_one(tmp_path: Path) -> None:
    reader = Reader.sits_down(tmp_path)
    [shown] = re.findall(r"^```\n(overlays/prod/web.yaml.*?)^```$", README, re.MULTILINE | re.DOTALL)
    line = int(shown.split(":")[1])
    vm = (
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: web\nspec:\n"
        "  runStrategy: Always\n  instancetype:\n    name: u1.medium\n  template:\n    spec:\n"
        "      domain:\n        devices: {}\n        cpu:\n          cores: 2\n"
    )
    assert vm.splitlines()[line - 1].strip() == "cores: 2"
    kustomization = "```yaml overlays/prod/kustomization.yaml\nresources: [web.yaml]\n```\n"
    page = f"{kustomization}```yaml overlays/prod/web.yaml\n{vm}```\n"
    reader.reads(f"{page}```console exit=1\n$ vmrender render\n{shown}\n…\n```\n")
    assert not reader.differences, "\n".join(reader.differences)


def test_the_quoted_difference_is_a_real_one() -> None:
    """It is on the page linked from the README, which is executed."""
    page = (DOCS / "diff.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"^```\n(restarts\n.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert shown in page
