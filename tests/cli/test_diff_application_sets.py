"""``vmrender diff`` of what ApplicationSets make, from which files, and what they do to what they made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.cli.diff_repositories import ORIGIN
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM
from tests.cli.test_diff_deployers import APPLICATION, APPLICATION_SET, project

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

MACHINE = {
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": VM,
}
ONE = APPLICATION_SET.replace(", {site: dev}", "")
GIT = ONE.replace(
    "[{list: {elements: [{site: prod}]}}]",
    f'[{{git: {{repoURL: "{ORIGIN}", revision: main, directories: [{{path: "overlays/*"}}]}}}}]',
).replace("{{site}}", "{{path.basename}}")
FILES = ONE.replace(
    "[{list: {elements: [{site: prod}]}}]",
    f'[{{git: {{repoURL: "{ORIGIN}", revision: main, files: [{{path: "overlays/*/config.json"}}]}}}}]',
).replace("targetRevision: main", 'targetRevision: "{{revision}}"')
PLACE = "clusters/prod/sites.yaml"


def shown(folder: Path, before: dict[str, str], after: dict[str, str], entry: str = "") -> str:
    """Return the report of a change of what deploys the overlay of one machine."""
    commit(folder, project(entry) | MACHINE | before)
    write(folder, after)
    return CliRunner(catch_exceptions=False).invoke(main, ["diff"]).stdout


def with_policy(policy: str, *others: str) -> str:
    fields = ", ".join(filter(None, (f"applicationsSync: {policy}" if policy else "", *others)))
    return ONE.replace("  template:", f"  syncPolicy: {{{fields}}}\n  template:")


@pytest.mark.parametrize("entry", ["", "argocd"])
@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (with_policy("create-update"), with_policy("sync"), "DATA: ApplicationSet argocd/sites may delete"),
        (with_policy("create-only"), ONE, "DATA: ApplicationSet argocd/sites may delete objects"),
        (with_policy("create-only"), with_policy("create-delete"), "DATA: ApplicationSet argocd/sites may"),
        (with_policy("create-delete"), with_policy("sync"), "not compared: ApplicationSet sites updates"),
        (with_policy("sync"), with_policy("create-only"), "no running virtual machine changes"),
        (
            with_policy("create-update", "preserveResourcesOnDeletion: true"),
            with_policy("sync", "preserveResourcesOnDeletion: true"),
            "no running virtual machine changes",
        ),
    ],
)
def test_what_a_set_may_do_from_now_on(
    folder: Path, entry: str, before: str, after: str, reported: str
) -> None:
    assert reported in shown(folder, {PLACE: before}, {PLACE: after}, entry)


def test_a_set_that_deploys_another_repository_is_judged(folder: Path) -> None:
    place = "elsewhere/set.yaml"
    before, after = (with_policy(each).replace("vms.git", "x.git") for each in ("create-only", ""))
    text = shown(folder, {place: before}, {place: after})
    assert "changed ApplicationSet argocd/sites in elsewhere: may delete" in text


@pytest.mark.parametrize("entry", ["", "argocd"])
@pytest.mark.parametrize(
    ("after", "reported"),
    [
        (GIT.replace("revision: main,", "revision: other,"), "a git generator of another revision"),
        (GIT.replace("revision: main, ", ""), "a git generator of another revision"),
        (GIT.replace(f'git: {{repoURL: "{ORIGIN}', 'git: {repoURL: "https://example.org/x'), ""),
    ],
)
def test_a_set_that_is_made_of_other_files_is_not_compared(
    folder: Path, entry: str, after: str, reported: str
) -> None:
    text = shown(folder, {PLACE: GIT}, {PLACE: after}, entry)
    assert f"not compared: ApplicationSet sites has {reported}" in text or (entry and not reported)


def test_a_git_generator_inside_another_one_is_compared(folder: Path) -> None:
    [line] = [each for each in GIT.splitlines() if "generators" in each]
    generators = line.partition(": ")[2]
    nested = GIT.replace(
        generators, f"[{{matrix: {{generators: {generators[:-1]}, {{list: {{elements: [{{}}]}}}}]}}}}]"
    )
    text = shown(folder, {PLACE: nested}, {PLACE: nested.replace("revision: main,", "revision: other,")})
    assert "a git generator of another revision" in text


@pytest.mark.parametrize("entry", ["", "argocd"])
@pytest.mark.parametrize(
    ("patch", "reported"),
    [
        ("operation: {sync: {prune: true}}", "changed Application argocd/prod: may delete objects"),
        ("operation: {sync: {revision: other}}", "not compared: Application prod starts a sync with its own"),
        ("spec: {source: {targetRevision: other}}", "not compared: Application prod has another targetRev"),
        ("spec: {destination: {server: 'https://b'}}", "not compared: Application prod has another dest"),
    ],
)
def test_a_template_patch_is_judged_as_if_it_were_written(
    folder: Path, entry: str, patch: str, reported: str
) -> None:
    patched = ONE.replace("  template:", f"  templatePatch: |\n    {patch}\n  template:")
    assert reported in shown(folder, {PLACE: ONE}, {PLACE: patched}, entry)


@pytest.mark.parametrize("entry", ["", "argocd"])
def test_parameters_in_the_folder_of_an_overlay_are_read(folder: Path, entry: str) -> None:
    config = '{"site": "prod", "revision": "main"}'
    files = {PLACE: FILES, "overlays/prod/config.json": config}
    text = shown(folder, files, {"overlays/prod/config.json": config.replace("main", "other")}, entry)
    assert "not compared: Application prod has another targetRevision" in text


@pytest.mark.parametrize("policy", ["", "create-only"])
def test_a_folder_for_which_a_set_makes_nothing_any_more(folder: Path, policy: str) -> None:
    before = with_policy(policy).replace("elements: [", "elements: [{site: dev}, ")
    text = shown(folder, {PLACE: before}, {PLACE: before.replace(", {site: prod}", "")})
    assert "not compared: no set makes Application prod any more, which deploys it" in text
    assert ("removed Application argocd/prod: may delete objects" in text) is (not policy)


OF_CLUSTERS = ONE.replace(
    "[{list: {elements: [{site: prod}]}}]",
    "[{matrix: {generators: [{clusters: {selector: {matchLabels: {env: prod}}}},"
    " {list: {elements: [{site: prod}]}}]}}]",
).replace('metadata: {name: "{{site}}"}', 'metadata: {name: "{{name}}-{{site}}"}')


@pytest.mark.parametrize(
    ("after", "is_reported"),
    [
        (OF_CLUSTERS.replace("env: prod", "env: other"), True),
        (OF_CLUSTERS.replace("[{site: prod}]", "[]"), True),
        (OF_CLUSTERS.replace("[{site: prod}]", "[{site: new}, {site: prod}]"), False),
        (OF_CLUSTERS.replace("project: default", "project: vms"), False),
    ],
)
def test_a_set_of_unknown_clusters_may_make_less(folder: Path, after: str, *, is_reported: bool) -> None:
    text = shown(folder, {PLACE: OF_CLUSTERS}, {PLACE: after})
    reason = (
        "not compared: ApplicationSet sites has other generators: it may no longer make what deploys this"
    )
    assert (reason in text) is is_reported
    assert "changed ApplicationSet argocd/sites" in text


SECOND = ONE.replace("name: sites", "name: second")
WRITTEN = APPLICATION.replace("name: apps", "name: prod")


@pytest.mark.parametrize("entry", ["", "argocd"])
@pytest.mark.parametrize("path", ["overlays/{{site}}", "elsewhere"])
def test_a_set_takes_over_a_written_application(folder: Path, entry: str, path: str) -> None:
    other = SECOND.replace("overlays/{{site}}", path)
    files = {"clusters/prod/apps.yaml": WRITTEN, "elsewhere/settings.yaml": ""}
    text = shown(folder, files, {"clusters/prod/second.yaml": other}, entry)
    assert "ApplicationSet second makes an Application prod from now on, too, and writes it over" in text


@pytest.mark.parametrize("entry", ["", "argocd"])
def test_an_application_of_one_set_is_not_taken_by_another(folder: Path, entry: str) -> None:
    text = shown(folder, {PLACE: ONE}, {"clusters/prod/second.yaml": SECOND}, entry)
    assert "it has no effect while ApplicationSet sites controls that" in text
    assert "DATA" not in text


def test_a_set_takes_over_what_deploys_no_overlay(folder: Path) -> None:
    files = {"clusters/prod/apps.yaml": WRITTEN.replace("vms.git", "other.git")}
    text = shown(folder, files, {"clusters/prod/second.yaml": SECOND.replace("overlays/", "elsewhere/")})
    assert "added ApplicationSet argocd/second in clusters/prod: may delete objects" in text
    assert "it takes over Application prod, which is in Git" in text


def test_a_new_folder_gets_the_name_of_an_application(folder: Path) -> None:
    generator = GIT.replace("overlays/*", "more/*").replace("overlays/{{", "more/{{")
    files = {PLACE: generator, "clusters/prod/apps.yaml": WRITTEN}
    text = shown(folder, files, {"more/prod/settings.yaml": "a: 1\n"})
    assert "ApplicationSet sites makes an Application prod from now on, too, and writes it over" in text


UNLISTED = FILES.replace("overlays/*/config.json", "sites/*.json").replace(
    "overlays/{{site}}", "apps/{{site}}"
)
UNLISTED = UNLISTED.replace('"{{revision}}"', "main").replace("https://kubernetes.default.svc", "{{server}}")
DEV_MACHINE = VM.replace("namespace: prod", "namespace: dev")
PARAMETERS = '{"site": "dev", "server": "https://a"}'


@pytest.mark.parametrize(
    ("after", "reported"),
    [
        (None, "removed VirtualMachine dev/db in clusters/prod:dev: deleted"),
        (PARAMETERS.replace("dev", "none"), "removed VirtualMachine dev/db in clusters/prod:dev: deleted"),
        (PARAMETERS.replace("//a", "//b"), "not compared: Application dev has another destination"),
        ("{", "not compared: in work tree, it is not known what ApplicationSet sites makes"),
    ],
)
def test_parameters_of_what_the_project_does_not_list(folder: Path, after: str | None, reported: str) -> None:
    commit(folder, project("") | MACHINE | {"apps/dev/vm.yaml": DEV_MACHINE, PLACE: UNLISTED})
    commit(folder, {"sites/dev.json": PARAMETERS})
    if after is None:
        (folder / "sites/dev.json").unlink()
    else:
        write(folder, {"sites/dev.json": after})
    assert reported in CliRunner(catch_exceptions=False).invoke(main, ["diff"]).stdout


def test_a_set_in_an_overlay_no_longer_makes_what_is_in_none(folder: Path) -> None:
    before = ONE.replace("overlays/{{site}}", "apps/{{site}}").replace("[{site: prod}]", "[{site: dev}]")
    files = {"apps/dev/vm.yaml": DEV_MACHINE, "overlays/root/sites.yaml": before}
    listing = {"overlays/root/kustomization.yaml": "resources: [sites.yaml]\n"}
    text = shown(folder, files | listing, {"overlays/root/sites.yaml": before.replace("dev", "none")})
    assert "removed VirtualMachine dev/db in overlays/root:dev: deleted" in text


def test_a_folder_that_the_project_begins_to_list_stays(folder: Path) -> None:
    commit(folder, project("") | MACHINE | {"overlays/dev/vm.yaml": DEV_MACHINE})
    files = {PLACE: ONE.replace("site: prod", "site: dev")}
    listed = {"overlays/dev/kustomization.yaml": "resources: [vm.yaml]\n"}
    text = shown(folder, files, listed)
    assert "deleted" not in text
