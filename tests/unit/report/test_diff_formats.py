"""Differences in each format, for readers and for attackers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from renderer.model.difference import (
    Amounts,
    Cause,
    ChangeType,
    DataChange,
    DataEffect,
    Difference,
    Effect,
    FieldChange,
    GuestChange,
    ImageMove,
    ImageName,
    Impact,
    NoValue,
    OverlayDifference,
    ResourceChange,
    StalledSync,
    Totals,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.release import Release
from renderer.report.diff_html import write as html
from renderer.report.diff_json import write as json_document
from renderer.report.diff_markdown import write as markdown
from renderer.report.diff_summary import bytes_text, verdict
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
    found = difference(
        *(changed(value, Effect.RESTART, value, value) for _ in range(2)),
        ResourceChange(ChangeType.ADDED, None, ResId(Gvk("", "v1", value), value, value)),
        ResourceChange(
            ChangeType.CHANGED,
            ResId(VM, "a"),
            ResId(VM, "a"),
            (FieldChange(FieldPath.of("metadata", value), {value: [value]}, NoValue.ABSENT),),
            Impact(Effect.REFUSED, value),
            data=(DataChange(DataEffect.LOST, value, value, value, value, value),),
            guest=(GuestChange(value, value, value, value, value, source=value),),
        ),
    )
    resource = ResId(VM, value, value)
    image = ImageName(value, value, value)
    overlay = found.overlays[0]._replace(
        images=(ImageMove(value, None, image, resource), ImageMove(value, image, image, resource)),
        stalled=(StalledSync(resource, (resource,), (resource,), (resource,), value, value),),
    )
    return found._replace(
        before=value, overlays=(overlay,), assumptions=(value,), not_compared=(value,), not_rendered=(value,)
    )


def test_equal_changes_are_grouped_worst_first() -> None:
    changes = [changed(f"vm-{number}", Effect.HOT_PLUG) for number in range(7)]
    assert text(difference(*changes, changed("db", Effect.RESTART, "1Gi", "9Gi"))) == (
        """\
prod/db needs a restart
main -> work tree

8 changed (1 overlay)
virtual machines: 1 needs a restart, 7 hot-plugged at once
judged as if each virtual machine had been started from main
virtual machines  2 -> 1 (and 1 halted)
vCPUs             4 -> 4 (and 2 halted)
memory            1Gi -> 2Gi (and 1Gi halted)

restarts
  changed VirtualMachine prod/db: needs a restart
    spec.memory: 1Gi -> 9Gi
      needs a restart: because

applied live
  changed VirtualMachine prod/vm-0, prod/vm-1, prod/vm-2, prod/vm-3, prod/vm-4 and 2 more: hot-plugged at once
    spec.memory: 1Gi -> 2Gi
      hot-plugged at once: because

overlays/prod (KubeVirt 1.9)
  7 equal
"""
    )


def test_large_groups_are_counted_and_folded() -> None:
    many = difference(*(changed(f"vm-{number}", Effect.RESTART) for number in range(7)))
    assert "virtual machines: 7 need a restart\n" in text(many)
    assert "virtual machines&#58; 7 need a restart\n" in markdown(many, 60_000)
    page = html(many, STYLE, SCRIPT)
    assert page.index("spec.<wbr>memory") < page.index('<details class="members"><summary>all 7</summary>')
    assert page.index("<summary>all 7</summary>") < page.index("prod/vm-6")


def test_comment_names_an_overlay_once_for_its_machines() -> None:
    (overlay,) = difference(*(changed(f"vm-{number}", Effect.RESTART) for number in range(2))).overlays
    both = Difference("main", "work tree", (overlay, overlay._replace(path="overlays/west")))
    listed = "<code>prod/vm-0</code>, <code>prod/vm-1</code>"
    assert f"\noverlays/prod: {listed}; overlays/west: {listed}\n" in markdown(both, 60_000)


def at_sites(number: int, reason: str = "because") -> Difference:
    """The same change of a machine in each of some overlays."""
    (overlay,) = difference(changed("web", Effect.RESTART)).overlays
    impact = Impact(Effect.RESTART, reason, "pkg/a.go")
    other = overlay.changes[0]._replace(fields=(overlay.changes[0].fields[0]._replace(impact=impact),))
    sites = [overlay._replace(path=f"overlays/site-{each:02}") for each in range(number)]
    sites[-1] = sites[-1]._replace(changes=(other,))
    return Difference("main", "work tree", tuple(sites))


def test_a_change_of_a_base_is_one_block() -> None:
    first_sites = ", ".join(f"overlays/site-0{number}" for number in range(5))
    block = f"""\
restarts
  changed 30 VirtualMachines in 30 overlays: needs a restart
    spec.memory: 1Gi -> 2Gi
      needs a restart: because
    prod/web in {first_sites} and 25 more
"""
    assert block in text(at_sites(30))
    assert markdown(at_sites(30), 60_000).count("spec.memory") == 1
    assert html(at_sites(30), STYLE, SCRIPT).count("spec.<wbr>memory") == 1


def test_reasons_that_name_other_objects_do_not_split_a_block() -> None:
    assert "needs a restart: because (1 with other names)\n" in text(at_sites(30, "because of db-29"))


DANGERS = {
    "refused": Effect.REFUSED,
    "deleted": Effect.DELETED,
    "stuck": Effect.STUCK,
    "restart": Effect.RESTART,
    "migration": Effect.MIGRATION,
    "live": Effect.LIVE,
    "none": Effect.NONE,
}


@pytest.mark.parametrize(
    "write", [text, lambda found: markdown(found, 60_000), lambda found: html(found, "", "")]
)
def test_the_most_dangerous_change_comes_first(write: Callable[[Difference], str]) -> None:
    changes = [changed(f"its-{name}", effect) for name, effect in reversed(DANGERS.items())]
    document = write(difference(*changes))
    blocks = document[document.rindex("work tree") :]
    assert list(dict.fromkeys(re.findall(r"prod/its-(\w+)", blocks))) == [*DANGERS]


def test_first_line_says_the_worst() -> None:
    found = difference(
        changed("a", Effect.LIVE),
        changed("b", Effect.REFUSED),
        changed("c", Effect.RESTART),
        changed("d", Effect.STOP),
        changed("e", Effect.BLOCKED),
        changed("f", Effect.DELETED),
    )
    assert (
        verdict(found)
        == "REFUSED: prod/b; DATA: prod/f is deleted; prod/d is stopped, 2 machines need a restart"
    )
    assert text(found).splitlines()[0] == verdict(found)
    assert unescape(markdown(found, 60_000)).splitlines()[0] == f"### {verdict(found)}"
    assert f"<h1>{verdict(found)}</h1>" in html(found, STYLE, SCRIPT)
    assert json.loads(json_document(found))["verdict"] == verdict(found)


def test_first_line_tells_those_that_may_wait_for_a_restart_from_those_that_need_it() -> None:
    found = difference(
        changed("a", Effect.PENDING), changed("b", Effect.RESTART), changed("c", Effect.PENDING)
    )
    assert verdict(found) == "prod/b needs a restart, 2 machines change with their next restart"


def test_first_line_does_not_say_that_a_pool_goes_with_its_machines() -> None:
    pool = ResId(Gvk("pool.kubevirt.io", "v1beta1", "VirtualMachinePool"), "web", "prod")
    smaller = changed("a", Effect.DELETED)._replace(before=pool, after=pool)
    assert verdict(difference(smaller)) == "DATA: VirtualMachinePool prod/web deletes machines"
    assert verdict(difference(smaller, smaller)) == "DATA: 2 pools delete machines"
    removed = smaller._replace(type=ChangeType.REMOVED, after=None)
    assert verdict(difference(removed)) == "DATA: VirtualMachinePool prod/web is deleted"


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("Service", changed("a", Effect.STOP), "Service prod/a cuts machines off or stops them"),
        (
            "Job",
            changed("a", Effect.NONE)._replace(data=(DataChange(DataEffect.SHARED, "root", ""),)),
            "DATA: Job prod/a writes to the disk of a machine",
        ),
    ],
)
def test_first_line_takes_no_other_object_for_a_machine(
    kind: str, change: ResourceChange, words: str
) -> None:
    id_ = ResId(Gvk("", "v1", kind), "a", "prod")
    assert verdict(difference(change._replace(before=id_, after=id_))) == words


def test_objects_that_are_not_judged_are_not_called_harmless() -> None:
    id_ = ResId(Gvk("apps", "v1", "Deployment"), "web", "prod")
    other = ResourceChange(ChangeType.CHANGED, id_, id_, (FieldChange(FieldPath.of("spec"), "1", "2"),))
    found = difference(changed("a", Effect.NONE), other)
    assert verdict(found) == "no running virtual machine changes; 1 other object is not judged"
    assert "\nno effect on what runs\n" in text(found)
    assert "\nother objects\n  changed Deployment prod/web\n" in text(found)
    assert verdict(difference(changed("a", Effect.NONE))) == "nothing that runs changes"


def test_memory_is_rounded_where_no_large_unit_is_whole() -> None:
    assert [bytes_text(count) for count in (0, 16 << 30, 1536 << 20, 32 * 10**9, 2 * 10**6)] == [
        *("0", "16Gi", "1536Mi", "29.8Gi", "1.91Mi")
    ]


def test_causes_in_one_file_are_lines_in_order() -> None:
    paths = [Cause("b.yaml", 9), Cause("a.yaml", 7), Cause("b.yaml", 2, "removed"), Cause("c.yaml")]
    fields = tuple(FieldChange(FieldPath.of(str(each)), "1", "2", cause=each) for each in paths)
    found = difference(changed("a", Effect.LIVE)._replace(fields=fields))
    assert "    by b.yaml:2 (removed), 9, a.yaml:7, c.yaml\n" in text(found)


def test_only_live_changes_are_said_so() -> None:
    assert (
        verdict(difference(changed("a", Effect.LIVE), changed("b", Effect.HOT_PLUG)))
        == "2 machines change live"
    )
    assert verdict(difference(changed("a", Effect.NEXT_START))) == "nothing that runs changes"
    assert verdict(Difference("a", "b", ())) == "no differences"


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


@cache
def large_difference(value: str, resources: int, overlays: int) -> Difference:
    return difference()._replace(
        overlays=tuple(
            overlay._replace(path=f"overlays/{number}")
            for number in range(overlays)
            for overlay in difference(
                *(changed(f"{value}-{n}", Effect.RESTART, f"{number} {n}", value) for n in range(resources))
            ).overlays
        )
    )


@pytest.mark.parametrize("limit", [1_000, 1_500, 5_000, 60_000])
@pytest.mark.parametrize("value", ["vm", "€" * 300, EVIL[1]])
@pytest.mark.parametrize(("resources", "overlays"), [(800, 2), (40, 30)])
def test_markdown_stays_below_its_limit(limit: int, value: str, resources: int, overlays: int) -> None:
    document = markdown(large_difference(value, resources, overlays), limit)
    assert document.startswith(f"### {resources * overlays} machines need a restart\n")
    assert len(document.encode()) <= limit
    (left_out,) = re.findall(r"> (\d+) changed resources are left out", document)
    listed = len(re.findall(r"changed <code>VirtualMachine</code>", document))
    assert int(left_out) + listed == resources * overlays
    assert document.count("<details") == document.count("</details>")


def test_markdown_of_an_empty_diff_says_so() -> None:
    assert markdown(Difference("a", "b", ()), 1_000).startswith("### no differences\n")


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


@pytest.mark.parametrize(
    ("gvk", "is_inert"),
    [
        (Gvk("networking.k8s.io", "v1", "NetworkPolicy"), False),
        (Gvk("instancetype.kubevirt.io", "v1", "VirtualMachinePreference"), True),
        (Gvk("apps", "v1", "ControllerRevision"), True),
    ],
)
def test_new_object_is_called_harmless_only_if_it_does_nothing_by_itself(gvk: Gvk, *, is_inert: bool) -> None:
    found = difference(ResourceChange(ChangeType.ADDED, None, ResId(gvk, "new", "prod")))
    harmless = "nothing that runs changes"
    not_judged = "no running virtual machine changes; 1 other object is not judged"
    assert verdict(found) == (harmless if is_inert else not_judged)
    assert ("\nno effect on what runs\n" in text(found)) is is_inert


@pytest.mark.parametrize(
    "write", [text, lambda each: markdown(each, 60_000), lambda each: html(each, "", "")]
)
def test_places_that_change_the_same_objects_are_one_entry(write: Callable[[Difference], str]) -> None:
    def with_cause(name: str, *lines: int) -> ResourceChange:
        change = changed(name, Effect.RESTART)
        fields = (change.fields[0]._replace(cause=Cause("base/vm.yaml", line)) for line in lines)
        return change._replace(fields=tuple(fields))

    shown = unescape(write(difference(with_cause("a", 7, 3, 9), with_cause("b", 7, 3))))
    assert "base/vm.yaml:3, 7 change 2 machines in 1 overlay" in shown
    assert "base/vm.yaml:7 changes" not in shown


def test_refused_object_that_holds_up_nothing_is_not_listed_as_such() -> None:
    overlay = difference(changed("a", Effect.REFUSED)).overlays[0]
    refused = (ResId(VM, "a", "prod"),)
    alone = overlay._replace(stalled=(StalledSync(None, refused, (), reason="Flux applies nothing else"),))
    assert "applies nothing else" not in text(Difference("main", "work tree", (alone,)))


def test_first_line_names_an_object_once() -> None:
    change = changed("a", Effect.RESTART)
    seen = change._replace(guest=(GuestChange("CPU topology", "", "1 core", "2 cores", "licences"),))
    assert verdict(difference(seen)) == "prod/a needs a restart; it changes what its guest sees"
