"""Entries that ``init`` finds in repositories that were not written for vmrender."""

from __future__ import annotations

import json

import pytest
import yaml

from renderer.discovery.project_proposal import project_text
from renderer.discovery.survey import survey
from renderer.discovery.survey_results import Survey
from renderer.files.file_system import MemoryFileSystem
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.render_config import PROJECT_FILE, OverlayEntry, RenderConfig
from renderer.pipeline.entry_points import find_overlays
from renderer.project.project import load_project

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}}}
spec:
  runStrategy: Always
  template:
    spec: {{domain: {{devices: {{}}}}}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  source: {{repoURL: https://git.example.org/acme/fleet.git, path: {path}}}
  destination: {{server: https://kubernetes.default.svc, namespace: {name}}}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: ./{path}
  sourceRef: {{kind: GitRepository, name: flux-system}}
"""
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {url: https://git.example.org/acme/fleet.git}
"""


def surveyed(files: dict[str, str]) -> Survey:
    return survey(MemoryFileSystem({path: text.encode() for path, text in files.items()}))


def entries(found: Survey) -> list[tuple[str, str, int]]:
    return [(each.entry.listed_by, each.entry.path, each.machines) for each in found.entries]


def left_out(found: Survey) -> list[tuple[str, int, str]]:
    return [(each.path, each.machines, each.reason) for each in found.left_out]


def listing(*names: str) -> str:
    return f"resources: [{', '.join(names)}]\n"


def test_reference_to_a_machine_is_not_a_machine() -> None:
    scaler = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: pool}
spec:
  maxReplicas: 3
  scaleTargetRef:
    apiVersion: pool.kubevirt.io/v1alpha1
    kind: VirtualMachinePool
    name: pool
"""
    found = surveyed({"vms/hpa.yaml": scaler, "vms/web.yaml": VM.format(name="web")})
    assert entries(found) == [("path", "vms/web.yaml", 1)]
    assert left_out(found) == []


def test_machines_inside_other_objects_are_counted_there() -> None:
    indented = VM.format(name="db").replace("\n", "\n        ")
    release = f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: raw}}
spec:
  values:
    resources:
      - {indented}
"""
    found = surveyed({"apps/raw.yaml": release, "apps/kustomization.yaml": listing("raw.yaml")})
    assert entries(found) == []
    assert left_out(found) == [("apps/raw.yaml", 1, "it is inside HelmRelease raw")]


def test_patch_next_to_a_kustomization_is_not_a_machine() -> None:
    patch = VM.format(name="web").partition("  template:")[0]
    found = surveyed(
        {
            "apps/web.yaml": APPLICATION.format(name="web", path="base"),
            "base/kustomization.yaml": listing("web.yaml"),
            "base/web.yaml": VM.format(name="web"),
            "base/patch.yaml": patch,
        }
    )
    assert entries(found) == [("argocd", "apps", 1)]
    assert left_out(found) == [("base/patch.yaml", 0, "it looks like a patch that no kustomization lists")]


def test_file_that_the_kustomization_beside_it_does_not_list_is_left_out() -> None:
    found = surveyed(
        {
            "vms/kustomization.yaml": listing("web.yaml"),
            "vms/web.yaml": VM.format(name="web"),
            "vms/stray.yaml": VM.format(name="stray"),
        }
    )
    assert entries(found) == [("path", "vms", 1)]
    reason = "vms/kustomization.yaml beside it does not list it"
    assert left_out(found) == [("vms/stray.yaml", 1, reason)]


@pytest.mark.parametrize(
    "comment", ["# - old.yaml", "#- ./old.yaml  # since May", "  ## - 'old.yaml'", "# - archive-of-2023"]
)
def test_entry_that_is_commented_out_is_left_out(comment: str) -> None:
    old = "vms/archive-of-2023/kustomization.yaml" if "2023" in comment else "vms/kustomization.yaml"
    found = surveyed(
        {
            "vms/kustomization.yaml": f"{listing('web.yaml')}\n{comment}\n",
            "vms/web.yaml": VM.format(name="web"),
            "vms/old.yaml": VM.format(name="old"),
            old: listing("db.yaml") if "2023" in comment else f"{listing('web.yaml')}\n{comment}\n",
            "vms/archive-of-2023/db.yaml": VM.format(name="db"),
        }
    )
    switched_off = "vms/archive-of-2023" if "2023" in comment else "vms/old.yaml"
    reasons = {path: reason for path, _, reason in left_out(found)}
    assert reasons[switched_off].endswith("is commented out in vms/kustomization.yaml")
    assert switched_off not in [path for _, path, _ in entries(found)]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("vms/db-bak.yaml", "vms/db-bak.yaml is named as a copy"),
        ("vms/db.yaml.orig.yaml", "vms/db.yaml.orig.yaml is named as a copy"),
        ("vms/web-old.yaml", "vms/web-old.yaml is named as a copy"),
        ("web.bak/db.yaml", "web.bak is named as a copy"),
        ("disabled/vms/db.yaml", "it is in disabled, a folder of retired files"),
    ],
)
def test_copies_and_retired_files_are_named_and_left_out(path: str, reason: str) -> None:
    found = surveyed({"vms/web.yaml": VM.format(name="web"), path: VM.format(name="db")})
    assert left_out(found) == [(path, 1, reason)]
    assert [(by, folder) for by, folder, _ in entries(found)] in (
        [("path", "vms")],
        [("path", "vms/web.yaml")],
    )


def test_hidden_archive_is_named() -> None:
    files = {"vms/.archive/db.yaml": VM.format(name="db"), "vms/web.yaml": VM.format(name="web")}
    found = surveyed(files)
    assert entries(found) == [("path", "vms", 1)]
    assert left_out(found) == [("vms/.archive", 1, "it is a folder of retired files")]


def test_machine_whose_name_says_backup_is_rendered() -> None:
    found = surveyed({"vms/db-backup.yaml": VM.format(name="db-backup")})
    assert entries(found) == [("path", "vms", 1)]


def test_kustomization_in_an_archive_is_left_out() -> None:
    found = surveyed({f"archive/{path}": text for path, text in BASE.items()})
    assert entries(found) == []
    assert left_out(found) == [("archive/base", 1, "it is in archive, a folder of retired files")]


def test_archived_flux_kustomizations_are_no_entries() -> None:
    found = surveyed(
        {
            "archive/apps/web.yaml": FLUX.format(name="web", path="apps/web"),
            "vms/db.yaml": VM.format(name="db"),
        }
    )
    assert entries(found) == [("path", "vms", 1)]
    assert found.broken == ()


def test_file_next_to_a_kustomization_without_machines_is_left_out() -> None:
    found = surveyed(
        {
            "pipeline/kustomization.yaml": listing("task.yaml"),
            "pipeline/task.yaml": "apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: make}\n",
            "pipeline/web.yaml": VM.format(name="web"),
        }
    )
    assert entries(found) == []
    assert left_out(found) == [
        ("pipeline/web.yaml", 1, "pipeline/kustomization.yaml beside it does not list it")
    ]


def test_application_next_to_its_kustomization_is_a_separate_entry() -> None:
    found = surveyed(
        {
            "prod/application.yaml": APPLICATION.format(name="prod", path="prod"),
            "prod/kustomization.yaml": listing("web.yaml"),
            "prod/web.yaml": VM.format(name="web"),
        }
    )
    assert entries(found) == [("argocd", "prod/application.yaml", 1)]
    assert left_out(found) == []


def test_flux_folder_that_deploys_itself_is_one_entry() -> None:
    found = surveyed(
        {
            "kubernetes/flux/config/cluster.yaml": FLUX.format(name="cluster", path="kubernetes/flux")
            + "---\n"
            + SOURCE,
            "kubernetes/flux/apps.yaml": FLUX.format(name="apps", path="kubernetes/apps"),
            "kubernetes/apps/web/ks.yaml": FLUX.format(name="web", path="kubernetes/apps/web/app"),
            "kubernetes/apps/web/app/web.yaml": VM.format(name="web"),
            "kubernetes/apps/kustomization.yaml": listing("web/ks.yaml"),
        }
    )
    assert entries(found) == [("flux", "kubernetes/flux", 1)]
    assert left_out(found) == []


def test_a_folder_with_a_dot_keeps_its_name() -> None:
    found = surveyed(
        {
            "clusters/prod.example.org/apps.yaml": FLUX.format(name="apps", path="apps") + "---\n" + SOURCE,
            "apps/web.yaml": VM.format(name="web"),
            "argo.d/web.yaml": APPLICATION.format(name="web", path="vms.old"),
            "vms.old/web.yaml": VM.format(name="old"),
        }
    )
    assert [each.entry.entry.name_prefix for each in found.entries] == ["prod.example.org", "argo.d"]


def test_broken_overlay_of_an_application_is_reported_and_its_machine_counted_once() -> None:
    patch = VM.format(name="web")
    found = surveyed(
        {
            "app.yaml": APPLICATION.format(name="web", path="overlays/dev"),
            "base/kustomization.yaml": listing("web.yaml"),
            "base/web.yaml": VM.format(name="web, namespace: elsewhere"),
            "overlays/dev/kustomization.yaml": "resources: [../../base]\npatches: [{path: web.yaml}]\n",
            "overlays/dev/web.yaml": patch,
        }
    )
    reason = "app.yaml:web cannot be built: there is no VirtualMachine web to patch"
    assert entries(found) == []
    assert left_out(found) == [("app.yaml", 1, reason)]


def test_kustomization_with_a_dangling_entry_is_rendered_without_a_finding() -> None:
    found = surveyed(
        {
            "bootstrap/kustomization.yaml": listing("app.yaml", "web.yaml"),
            "bootstrap/app.yaml": APPLICATION.format(name="guac", path="guac"),
            "bootstrap/web.yaml": VM.format(name="web"),
            "guac/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: guac}\n",
        }
    )
    assert entries(found) == [("path", "bootstrap", 1)]
    assert left_out(found) == []


def test_charts_and_applications_of_charts_are_named() -> None:
    chart = APPLICATION.format(name="web", path="chart").replace("path: chart", "path: chart, helm: {}")
    found = surveyed(
        {
            "Chart.yaml": "name: web\n",
            "templates/web.yaml": "{{- range .Values.many }}\n" + VM.format(name="{{ . }}") + "{{- end }}\n",
            "app.yaml": chart,
            "chart/Chart.yaml": "name: web\n",
        }
    )
    assert entries(found) == []
    assert left_out(found) == [
        ("app.yaml", 0, "1 Application with charts, plugins, jsonnet or remote bases (web)"),
        ("templates/web.yaml", 1, "in a Helm chart"),
    ]


def test_sizes_that_only_another_entry_deploys_become_catalogs() -> None:
    size = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: tiny}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""
    machine = VM.format(name="lone").replace("spec:\n", "spec:\n  instancetype: {name: tiny}\n", 1)
    found = surveyed(
        {
            "all/kustomization.yaml": listing("../sizes", "../web"),
            "sizes/kustomization.yaml": listing("tiny.yaml"),
            "sizes/tiny.yaml": size,
            "web/kustomization.yaml": listing("web.yaml"),
            "web/web.yaml": machine.replace("lone", "web"),
            "lone/kustomization.yaml": listing("lone.yaml"),
            "lone/lone.yaml": machine,
        }
    )
    assert sorted(entries(found)) == [("path", "all", 1), ("path", "lone", 1)]
    assert found.catalogs == ("sizes",)


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (("a/b/c", "a-b/c"), ["a-b-c", "a-b-c-2"]),
        (("apps/web", "infra/web", "x/apps-web"), ["apps-web", "apps-web-2", "infra-web"]),
        ((".", "top"), ["top", "top-2"]),
        (("a/b/c", "a-b/c", "y/a-b-c", "x/a-b-c-2"), ["a-b-c", "a-b-c-2", "a-b-c-3", "a-b-c-4"]),
        (("a/{name}", "b/{name}"), ["a-name", "b-name"]),
        (("web", "x/web"), ["web", "x-web"]),
    ],
)
def test_entries_are_rendered_into_distinct_folders(folders: tuple[str, ...], names: list[str]) -> None:
    files = {}
    for number, folder in enumerate(folders):
        files[f"{folder}/kustomization.yaml"] = listing("web.yaml")
        files[f"{folder}/web.yaml"] = VM.format(name=f"web-{number}")
    assert sorted(outputs(files)) == [f"rendered/{name}" for name in names]


def test_clusters_with_one_name_are_rendered_into_distinct_folders() -> None:
    files = {"x/a-prod/web.yaml": VM.format(name="db"), "x/a-prod/kustomization.yaml": listing("web.yaml")}
    for folder in ("a/prod", "b/prod", "b-c/prod", "b/c/prod"):
        app = f"apps-{len(files)}"
        files[f"{folder}/apps.yaml"] = FLUX.format(name="apps", path=app) + "---\n" + SOURCE
        files[f"{app}/web.yaml"] = VM.format(name="web")
    clusters = sorted({output.split("/")[1] for output in outputs(files)})
    assert clusters == ["a-prod", "a-prod-2", "b-c-prod", "b-c-prod-2", "b-prod"]


def test_file_with_a_namesake_gets_a_folder_without_extension() -> None:
    files = {
        f"{folder}/{name}.yaml": VM.format(name="web") for folder in ("m", "n") for name in ("web", folder)
    }
    assert sorted(outputs(files)) == [f"rendered/{name}" for name in ("m", "m-web", "n", "n-web")]


def outputs(files: dict[str, str]) -> list[str]:
    """Return where the project that ``init`` would write renders its overlays to."""
    text = project_text(surveyed(files))
    tree = {path: content.encode() for path, content in (files | {PROJECT_FILE: text}).items()}
    fs = MemoryFileSystem(tree)
    return [overlay.output for overlay in find_overlays(fs, load_project(fs))]


def errors(found: Survey) -> list[tuple[str, str, str]]:
    return [(each.entry.listed_by, each.entry.path, each.error) for each in found.broken]


BASE = {"base/web.yaml": VM.format(name="web"), "base/kustomization.yaml": listing("web.yaml")}


@pytest.mark.parametrize(
    ("overlay", "error"),
    [
        (listing("../../bas"), "no such file or folder: bas"),
        ("resources: ../../base\n", "resources must be a list, not '../../base'"),
        ("resources: [../../base\n", "this [ is not closed"),
        ("resorces: [../../base]\n", "unknown field resorces"),
    ],
)
def test_broken_overlay_is_a_comment_and_not_replaced_by_its_base(overlay: str, error: str) -> None:
    found = surveyed({**BASE, "overlays/prod/kustomization.yaml": overlay})
    assert entries(found) == []
    assert errors(found) == [("path", "overlays/prod", error)]
    assert f"  # cannot be built: {error}\n  # - path: overlays/prod\n" in project_text(found)


def test_a_base_of_a_broken_and_of_another_overlay_is_rendered_by_the_other() -> None:
    found = surveyed(
        {
            **BASE,
            "overlays/dev/kustomization.yaml": listing("../../base"),
            "overlays/prod/kustomization.yaml": listing("../../bas"),
        }
    )
    assert entries(found) == [("path", "overlays/dev", 1)]
    assert [path for _, path, _ in errors(found)] == ["overlays/prod"]


def test_file_mistyped_in_a_kustomization_is_not_an_overlay() -> None:
    found = surveyed({**BASE, "base/kustomization.yaml": listing("wbe.yaml")})
    assert entries(found) == []
    assert errors(found) == [("path", "base", "no such file or folder: base/wbe.yaml")]


def test_kustomization_outside_the_repository_is_broken() -> None:
    found = surveyed({**BASE, "prod/kustomization.yaml": listing("../../base")})
    assert [path for _, path, _ in errors(found)] == ["prod"]


def test_a_kustomization_of_another_repository_without_machines_is_left_alone() -> None:
    found = surveyed({**BASE, "crds/kustomization.yaml": listing("https://example.org/crds.yaml")})
    assert entries(found) == [("path", "base", 1)]
    assert errors(found) == []


@pytest.mark.parametrize("path", ["bas", "prod"])
def test_flux_kustomization_with_a_missing_path_is_broken(path: str) -> None:
    found = surveyed(
        {
            **BASE,
            "clusters/a/db.yaml": FLUX.format(name="db", path=path) + "---\n" + SOURCE,
            "prod/kustomization.yaml": listing("../bas"),
        }
    )
    assert entries(found) == []
    assert ("flux", "clusters/a") in [(kind, entry) for kind, entry, _ in errors(found)]


def test_an_application_of_a_missing_folder_is_broken() -> None:
    remote = '[remote "origin"]\n\turl = https://git.example.org/acme/fleet.git\n'
    application = APPLICATION.format(name="web", path="bas")
    found = surveyed({**BASE, "apps/web.yaml": application, ".git/config": remote})
    assert [path for _, path, _ in errors(found)] == ["apps"]
    assert entries(found) == []


FLOW = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db}, spec: {template: {spec: {}}}}\n"
)


@pytest.mark.parametrize("text", [FLOW, json.dumps(yaml.safe_load(FLOW)), f"- {FLOW}".replace("- ", "---\n")])
def test_a_machine_on_one_line_is_found(text: str) -> None:
    assert entries(surveyed({"vms/db.yaml": text})) == [("path", "vms", 1)]


def test_a_machine_in_a_file_that_cannot_be_read_is_counted() -> None:
    text = VM.format(name="db").replace("name: db}", 'name: "db}')
    found, reason = surveyed({"vms/db.yaml": text}), "this double quote is not closed"
    assert entries(found) == []
    assert left_out(found) == [("vms/db.yaml", 1, reason)]
    assert errors(found) == [("path", "vms/db.yaml", reason)]


def test_template_of_another_tool_is_excluded() -> None:
    found = surveyed({"vms/db.yaml": VM.format(name="{{ name }}")})
    assert [path for path, _, _ in left_out(found)] == ["vms/db.yaml"]
    assert (found.entries, found.broken) == ((), ())


def test_unbuildable_overlay_is_named_without_values_of_secrets() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key"},
        "stringData": {"password": "correct-horse-battery"},
    }
    kustomization = {
        "resources": ["vm.yaml", "secret.yaml"],
        "patches": [{"target": {"kind": "Secret"}, "path": "patch.yaml"}],
    }
    found = surveyed(
        {
            "app/kustomization.yaml": yaml.safe_dump(kustomization),
            "app/vm.yaml": VM.format(name="web"),
            "app/secret.yaml": yaml.safe_dump(secret),
            "app/patch.yaml": yaml.safe_dump(
                [{"op": "replace", "path": "/data/correct-horse-battery", "value": "correct-horse-battery"}]
            ),
        }
    )
    reported = project_text(found) + "".join(map(str, left_out(found)))
    assert "the patch does not apply to Secret key" in reported
    assert "correct-horse-battery" not in reported


def test_folder_of_an_application_of_an_unknown_repository_is_left_out_with_the_cure() -> None:
    files = {
        ".git/config": '[remote "origin"]\n\turl = git@github.com:acme/machines.git\n',
        "argocd/vms.yaml": APPLICATION.format(name="vms", path="vms").replace(
            "git.example.org", "git.acme.net"
        ),
        "vms/web.yaml": VM.format(name="web"),
    }
    found = surveyed(files)
    assert entries(found) == []
    url = "https://git.acme.net/acme/fleet.git"
    assert left_out(found)[-1] == (
        "vms/web.yaml",
        1,
        (
            "the Application vms in argocd/vms.yaml deploys it with destination.namespace, and is of"
            f" {url}; if that is this repository, list it under repositories"
        ),
    )
    assert f"# repositories:\n#   - {json.dumps(url)}\n" in project_text(found)

    with_token = {
        **files,
        "argocd/vms.yaml": files["argocd/vms.yaml"].replace("https://", "https://u:horse@"),
    }
    assert project_text(surveyed(with_token)) == project_text(found)


def test_folder_of_an_application_of_certainly_another_repository_is_an_overlay() -> None:
    files = {
        ".git/config": '[remote "origin"]\n\turl = git@github.com:acme/machines.git\n',
        "argocd/vms.yaml": APPLICATION.format(name="vms", path="vms").replace(
            "git.example.org", "git.acme.net"
        ),
        "argocd/web.yaml": APPLICATION.format(name="web", path="web").replace(
            "https://git.example.org/acme/fleet.git", "https://github.com/acme/machines"
        ),
        "vms/db.yaml": VM.format(name="db"),
        "web/web.yaml": VM.format(name="web"),
    }
    assert entries(surveyed(files)) == [("argocd", "argocd", 1), ("path", "vms", 1)]


def test_folder_of_a_suspended_kustomization_is_not_rendered_without_its_namespace() -> None:
    suspended = FLUX.format(name="vms", path="vms") + "  targetNamespace: vms\n  suspend: true\n"
    found = surveyed({"clusters/prod/vms.yaml": suspended, "vms/web.yaml": VM.format(name="web")})
    assert entries(found) == []
    [reason] = [reason for path, _, reason in left_out(found) if path == "vms/web.yaml"]
    assert reason == (
        "the Kustomization vms in clusters/prod/vms.yaml deploys it with targetNamespace, and is suspended"
    )


def test_files_below_a_folder_that_is_applied_without_recurse_are_deployed_by_nothing() -> None:
    found = surveyed(
        {
            "argocd/vms.yaml": APPLICATION.format(name="vms", path="vms"),
            "vms/web.yaml": VM.format(name="web"),
            "vms/old/db.yaml": VM.format(name="db"),
        }
    )
    assert entries(found) == [("argocd", "argocd", 1)]
    reason = "nothing deploys it: the Application vms in argocd/vms.yaml applies vms without recurse"
    assert left_out(found) == [("vms/old/db.yaml", 1, reason)]


def test_argocd_that_deploys_the_application_of_all_applications_is_an_entry() -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\n"
    found = surveyed(
        {
            "apps/argocd.yaml": APPLICATION.format(name="argocd", path="argocd"),
            "apps/vms.yaml": APPLICATION.format(name="vms", path="vms"),
            "argocd/all.yaml": APPLICATION.format(name="all", path="apps"),
            "argocd/settings.yaml": other,
            "vms/web.yaml": VM.format(name="web"),
        }
    )
    assert entries(found) == [("argocd", "apps", 1)]
    assert left_out(found) == []


def test_template_that_a_kustomization_deploys_as_it_is_is_named() -> None:
    template = """\
apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: web}
parameters: [{name: NAME, required: true}]
objects:
  - apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: "${NAME}"}
"""
    found = surveyed({"templates/web.yaml": template, "templates/kustomization.yaml": listing("web.yaml")})
    assert left_out(found) == [("templates/web.yaml", 1, "a Template whose parameters NAME need values")]


def test_machine_inside_a_release_of_a_cluster_without_machines_is_named() -> None:
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "raw"},
        "spec": {"values": {"resources": [yaml.safe_load(VM.format(name="web"))]}},
    }
    found = surveyed(
        {
            "clusters/prod/flux-system/gotk-sync.yaml": SOURCE
            + "---\n"
            + FLUX.format(name="flux-system", path="clusters/prod"),
            "clusters/prod/raw.yaml": FLUX.format(name="raw", path="raw"),
            "raw/release.yaml": yaml.safe_dump(release),
        }
    )
    assert ("raw/release.yaml", 1, "it is inside HelmRelease raw") in left_out(found)


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: vms, namespace: argocd}}
spec:
  generators: [{{clusters: {{selector: {{matchLabels: {{env: prod}}}}}}}}]
  template:
    metadata: {{name: '{{{{name}}}}'}}
    spec:
      source: {{repoURL: https://git.example.org/acme/fleet.git, path: '{path}'}}
      destination: {{server: '{{{{server}}}}', namespace: vms}}
"""


@pytest.mark.parametrize("path", ["vms", "{{{{name}}}}", "{{{{metadata.labels.env}}}}"])
def test_folder_of_a_set_whose_clusters_are_unknown_is_left_out_with_the_cure(path: str) -> None:
    found = surveyed(
        {"argocd/set.yaml": SET.format(path=path.format()), "vms/web.yaml": VM.format(name="web")}
    )
    assert entries(found) == []
    of_entry, of_file = [reason for _, _, reason in left_out(found)]
    cure = "clusters: [{name: NAME, server: https://NAME:6443, labels: {env: prod}}]"
    assert of_entry.endswith(cure)
    assert of_file.startswith(
        "the ApplicationSet vms in argocd/set.yaml deploys it with destination.namespace"
    )
    assert of_file.endswith(cure)


def test_machine_with_a_namespace_of_its_own_needs_no_application() -> None:
    machine = VM.format(name="web").replace("{name: web}", "{name: web, namespace: vms}")
    found = surveyed({"argocd/set.yaml": SET.format(path="vms"), "vms/web.yaml": machine})
    assert entries(found) == [("path", "vms", 1)]


def test_a_folder_of_an_entry_that_cannot_be_built_leaves_the_others() -> None:
    found = surveyed(
        {
            "argocd/web.yaml": APPLICATION.format(name="web", path="web"),
            "argocd/more/kustomization.yaml": "resources: [log.yaml, nope.yaml]\n",
            "argocd/more/log.yaml": APPLICATION.format(name="log", path="log"),
            "web/vm.yaml": VM.format(name="web"),
        }
    )
    assert entries(found) == [("argocd", "argocd", 1)]
    assert left_out(found) == [
        ("argocd/more/kustomization.yaml", 0, "no such file or folder: argocd/more/nope.yaml")
    ]
    assert not found.broken


ROOT = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: fleet, namespace: fleet}}
spec:
  path: ./{path}
  sourceRef: {{kind: GitRepository, name: flux-system}}
"""


@pytest.mark.parametrize(
    ("project", "path", "switch"),
    [
        (RenderConfig(), "clusters/prod", "./rendered/prod/fleet"),
        (RenderConfig(output="deploy/{name}"), "clusters/prod", "./deploy/prod/fleet"),
        (RenderConfig(output="deploy/{name}"), "deploy/prod/fleet", ""),
    ],
)
def test_the_root_of_a_cluster_is_pointed_at_its_own_tree_once(
    project: RenderConfig, path: str, switch: str
) -> None:
    files = {
        "clusters/prod/fleet/gotk-sync.yaml": ROOT.format(path=path),
        "clusters/prod/fleet/kustomization.yaml": "resources: [gotk-sync.yaml]\n",
        "clusters/prod/apps.yaml": FLUX.format(name="apps", path="apps").replace("flux-system", "fleet"),
        "apps/vm.yaml": VM.format(name="db"),
        "deploy/prod/fleet/.vmrender-owned": "",
    }
    options = EntryOptions(EntryKind.FLUX, name_prefix="prod", repoint=True)
    config = project._replace(overlays=(OverlayEntry("clusters/prod", entry=options),))
    found = survey(
        MemoryFileSystem({path: text.encode() for path, text in files.items()}), config, with_adoption=True
    )
    assert entries(found) == [("flux", "clusters/prod", 1)]
    words = f"Flux, clusters/prod: give the Kustomization fleet the path {switch}" if switch else ""
    assert [each.switch for each in found.entries] == [words]


@pytest.mark.parametrize(
    ("owner", "expected"), [("acme", ()), ("fork", ("https://git.example.org/acme/fleet.git",))]
)
def test_copies_with_the_url_of_another_repository_are_noted(owner: str, expected: tuple[str, ...]) -> None:
    files = {
        ".git/config": f'[remote "origin"]\n\turl = https://git.example.org/{owner}/fleet.git\n',
        "argocd/web.yaml": APPLICATION.format(name="web", path="web"),
        "web/vm.yaml": VM.format(name="web"),
    }
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    [found] = survey(fs, with_adoption=True).entries
    assert len(found.cautions) == len(expected)
    assert all(url in caution for url, caution in zip(expected, found.cautions, strict=True))


def test_only_a_source_of_this_repository_makes_its_top_a_cluster() -> None:
    crds = SOURCE.replace("flux-system", "crds", 1).replace("acme/fleet", "vendor/operator")
    top = FLUX.format(name="crds", path="").replace("name: flux-system}", "name: crds}")
    files = {
        "clusters/prod/flux-system/gotk-sync.yaml": f"{SOURCE}---\n"
        + FLUX.format(name="flux-system", path="clusters/prod"),
        "clusters/prod/apps.yaml": FLUX.format(name="apps", path="apps"),
        "apps/vm.yaml": VM.format(name="web"),
        "charts/crds.yaml": f"{crds}---\n{top}",
    }
    assert entries(surveyed(files)) == [("flux", "clusters/prod", 1)]


@pytest.mark.parametrize(
    "folder", ["apps/lab", "kubernetes/lab", "lab", "clusters/prod/old/lab", "clusters/lab"]
)
@pytest.mark.parametrize(
    "root", [SOURCE + "---\n" + FLUX.format(name="flux-system", path="clusters/prod"), ""]
)
def test_kustomization_that_no_root_reaches_is_a_cluster_only_beside_one(root: str, folder: str) -> None:
    files = {
        "clusters/prod/flux-system/gotk-sync.yaml": root,
        "clusters/prod/kustomization.yaml": "resources: [flux-system/gotk-sync.yaml, apps.yaml]\n",
        "clusters/prod/apps.yaml": FLUX.format(name="apps", path="prod/apps"),
        "prod/apps/vm.yaml": VM.format(name="web"),
        f"{folder}/ks.yaml": FLUX.format(name="lab", path="tests/lab") + "  targetNamespace: lab\n",
        "tests/lab/vm.yaml": VM.format(name="lab"),
    }
    if not root:  # then each may be bootstrapped by a program that Git does not have
        files["clusters/prod/kustomization.yaml"] = "resources: [apps.yaml]\n"
        del files["clusters/prod/flux-system/gotk-sync.yaml"]
    found = surveyed(files)
    is_cluster = folder == "clusters/lab" or (not root and not folder.startswith("clusters/prod/"))
    assert (("flux", folder, 1) in entries(found)) is is_cluster
    assert ("flux", "clusters/prod", 1) in entries(found)
    why = "cannot be followed"
    if folder.startswith("clusters/prod/"):
        why = "nothing deploys that: clusters/prod/kustomization.yaml does not list it"
    reason = f"the Kustomization lab in {folder}/ks.yaml deploys it with targetNamespace, and {why}"
    if root and not is_cluster:
        assert [(each.path, each.reason) for each in found.left_out] == [("tests/lab/vm.yaml", reason)]
