"""Differences in each format, for readers and for attackers."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from renderer.model.difference import (
    Amounts,
    ChangeType,
    Difference,
    Effect,
    FieldChange,
    Impact,
    NoValue,
    OverlayDifference,
    ResourceChange,
    Totals,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.release import Release
from renderer.report.diff_html import write as html
from renderer.report.diff_markdown import write as markdown
from renderer.report.diff_text import write as text

PAGE = Path(__file__).parents[3] / "renderer" / "report" / "page"
STYLE, SCRIPT = ((PAGE / name).read_text(encoding="utf-8") for name in ("diff.css", "diff.js"))
VM = Gvk("kubevirt.io", "v1", "VirtualMachine")
RELEASE = Release.parse("1.9")
EVIL = (
    "</code></td></details><script>alert(1)</script>",
    "`@everyone` **bold** [x](http://evil.example) ![](https://evil.example/a.png)",
    "www.evil.example a@evil.example #1 GH-1 :tada: $x$ | ~~a~~ <!-- -->",
    "\x1b[31mred\x07\u202e\n# heading\n",
    "&#60;b&#62;&lt;i&gt;",
)


def changed(name: str, effect: Effect, before: str = "1Gi", after: str = "2Gi") -> ResourceChange:
    impact = Impact(effect, "because", "pkg/a.go")
    field = FieldChange(FieldPath.of("spec", "memory"), before, after, impact=impact)
    id_ = ResId(VM, name, "prod")
    return ResourceChange(ChangeType.CHANGED, id_, id_, (field,), impact)


def difference(*changes: ResourceChange) -> Difference:
    totals = Totals(Amounts(2, 4, 1 << 30)), Totals(Amounts(1, 4, 2 << 30), Amounts(1, 2, 1 << 30))
    overlay = OverlayDifference("overlays/prod", "prod", (RELEASE, RELEASE), changes, 7, totals)
    return Difference("main", "work tree", (overlay,))


def evil(value: str) -> Difference:
    return difference(
        *(changed(value, Effect.RESTART, value, value) for _ in range(2)),
        ResourceChange(ChangeType.ADDED, None, ResId(Gvk("", "v1", value), value, value)),
        ResourceChange(
            ChangeType.CHANGED,
            ResId(VM, "a"),
            ResId(VM, "a"),
            (FieldChange(FieldPath.of("metadata", value), {value: [value]}, NoValue.ABSENT),),
            Impact(Effect.REFUSED, value),
        ),
    )._replace(before=value)


def test_equal_changes_are_grouped_worst_first() -> None:
    changes = [changed(f"vm-{number}", Effect.HOT_PLUG) for number in range(7)]
    assert text(difference(*changes, changed("db", Effect.RESTART, "1Gi", "9Gi"))) == (
        """\
main -> work tree

overlays/prod (KubeVirt 1.9)
  changed VirtualMachine prod/db: needs a restart
    spec.memory: 1Gi -> 9Gi
      needs a restart: because
  changed VirtualMachine prod/vm-0, prod/vm-1, prod/vm-2, prod/vm-3, prod/vm-4 and 2 more: hot-plugged at once
    spec.memory: 1Gi -> 2Gi
      hot-plugged at once: because
  7 equal
  virtual machines  2 -> 1 (and 1 halted)
  vCPUs             4 -> 4 (and 2 halted)
  memory            1Gi -> 2Gi (and 1Gi halted)

8 changed (1 overlay)
virtual machines: 1 needs a restart, 7 hot-plugged at once
judged as if each virtual machine had been started from main
"""
    )


def test_large_groups_are_counted_and_folded() -> None:
    many = difference(*(changed(f"vm-{number}", Effect.RESTART) for number in range(7)))
    assert "virtual machines: 7 need a restart\n" in text(many)
    assert "virtual machines: 7 need a restart\n" in markdown(many, 60_000)
    page = html(many, STYLE, SCRIPT)
    assert page.index("spec.<wbr>memory") < page.index('<details class="members"><summary>all 7</summary>')
    assert page.index("<summary>all 7</summary>") < page.index("prod/vm-6")


def test_colours_are_used_only_on_terminals() -> None:
    found = difference(changed("db", Effect.RESTART))
    assert "\x1b" not in text(found)
    assert re.sub(r"\x1b\[[0-9;]*m", "", text(found, colour=True)) == text(found)


@pytest.mark.parametrize("value", EVIL)
def test_text_contains_no_cursor_movement(value: str) -> None:
    assert all(line.isprintable() for line in text(evil(value)).split("\n"))


@pytest.mark.parametrize("value", EVIL)
def test_markdown_contains_no_active_content(value: str) -> None:
    document = markdown(evil(value), 60_000)
    tags = set(re.findall(r"<(/?[a-z]+)", document))
    assert tags <= {"code", "/code", "details", "/details", "summary", "/summary", "b", "/b"}
    shown = "".join(re.findall(r"<code>(.*?)</code>", document))
    assert not re.search(r"[\\`*_\[\]()!|~$#^](?!\d+;)", re.sub(r"&#\d+;", "", shown))
    assert not re.search(r"@[A-Za-z]|https?:|www\.|<!--", document)
    assert document.count("<details") == document.count("</details>")
    assert all(line.isprintable() for line in document.split("\n"))


@pytest.mark.parametrize("limit", [1_000, 1_500, 5_000, 60_000])
@pytest.mark.parametrize("value", ["vm", "€" * 300, EVIL[1]])
@pytest.mark.parametrize(("resources", "overlays"), [(800, 2), (40, 30)])
def test_markdown_stays_below_its_limit(limit: int, value: str, resources: int, overlays: int) -> None:
    names = [f"{value}-{number}" for number in range(resources)]
    one = difference(*(changed(name, Effect.RESTART, str(n), value) for n, name in enumerate(names)))
    document = markdown(one._replace(overlays=one.overlays * overlays), limit)
    assert len(document.encode()) <= limit
    (left_out,) = re.findall(r"> (\d+) changed resources are left out", document)
    listed = len(re.findall(r"changed <code>VirtualMachine</code>", document))
    assert int(left_out) + listed == resources * overlays
    assert document.count("<details") == document.count("</details>")


def test_markdown_of_an_empty_diff_says_so() -> None:
    assert markdown(Difference("a", "b", ()), 1_000).endswith("No differences.\n")


class Elements(HTMLParser):
    """Counts the elements that a browser would make."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("value", EVIL)
def test_values_add_only_text_to_the_page(value: str) -> None:
    page, harmless = html(evil(value), STYLE, SCRIPT), html(evil("harmless"), STYLE, SCRIPT)
    assert [name for name in Elements(page).names if name != "wbr"] == [
        name for name in Elements(harmless).names if name != "wbr"
    ]
    assert Elements(page).attributes == Elements(harmless).attributes
    assert not {"src", "href", "onclick", "style"} & Elements(page).attributes


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at the page with")
def test_browser_runs_only_the_pages_own_style_and_script(tmp_path: Path) -> None:
    page = html(evil(EVIL[0]), STYLE, SCRIPT)
    probe = "<script>document.title='broken'</script></main>"
    (tmp_path / "page.html").write_text(page.replace("</main>", probe), encoding="utf-8")
    command = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    run = subprocess.run(
        [*command, f"--user-data-dir={tmp_path}", (tmp_path / "page.html").as_uri()],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert '<html lang="en" class="scripted">' in run.stdout
    assert "<title>broken" not in run.stdout
