"""In a notebook, a fleet, a difference and findings are tables, whatever a manifest has in it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Protocol

import renderer

HOSTILE = "<script>alert('x')</script>&\x1b[2J"
PASSWORD = "correct-horse-battery-staple"  # noqa: S105 - no password, but the text that must not be shown


class Shown(Protocol):
    """A value that a notebook shows."""

    def _repr_html_(self) -> str: ...


class Reader(HTMLParser):
    """The tags and the text of a fragment."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(value: Shown) -> Reader:
    reader = Reader(value._repr_html_())
    assert reader.open == []
    assert reader.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p"}
    assert reader.text.replace("\n", " ").isprintable()
    return reader


def vm(**spec: Any) -> dict[str, Any]:  # noqa: ANN401 - the parts of a manifest
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "shop"},
        "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}, **spec},
    }


def test_a_fleet_is_a_table(shop: Path) -> None:
    text = read(renderer.list_fleet(renderer.open_project(shop))).text
    assert "4 virtual machines" in text
    assert "u1.large" in text
    assert "8Gi" in text


def test_findings_are_a_table() -> None:
    findings = renderer.validate_object(vm(runStrategy=HOSTILE))
    text = read(findings).text
    assert "<script>" in text
    assert "\\u001b" in text
    assert "runStrategy" in text
    assert read(renderer.Findings()).text == "no findings"


def test_a_difference_is_a_table(shop: Path) -> None:
    text = read(renderer.compare(renderer.open_project(shop), "HEAD~1", "HEAD")).text
    assert "needs a restart" in text
    changed = {"metadata": {"annotations": {"note": HOSTILE}}, "spec": {"domain": {"devices": {}}}}
    assert "<script>" in read(renderer.compare_objects([vm()], [vm(template=changed)])).text


def test_rendered_overlay_shows_no_secret(shop: Path) -> None:
    secret = shop / "base/secret.yaml"
    secret.write_text(
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: key}}\nstringData: {{a: {PASSWORD}}}\n"
    )
    listed = shop / "base/kustomization.yaml"
    listed.write_text(listed.read_text() + "- secret.yaml\n")
    project = renderer.open_project(shop)
    rendered = renderer.render(project, "prod")
    assert any(PASSWORD in text for text in rendered.files.values())
    assert "Secret" in read(rendered).text
    shown = [repr(rendered), rendered._repr_html_(), repr(renderer.list_fleet(project))]
    shown += [renderer.compare(project, "HEAD")._repr_html_()]
    assert not [text for text in shown if PASSWORD in text]


def test_long_table_is_truncated() -> None:
    findings = renderer.validate_object(vm(runStrategy="no"))
    assert "and 200 more" in read(renderer.Findings(list(findings)[:1] * 1200)).text
