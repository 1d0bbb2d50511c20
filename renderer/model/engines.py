"""What several stages know of Flux and Argo CD: their API groups, and the files that they read."""

from __future__ import annotations

from renderer.model.kustomization import KUSTOMIZATION_FILES

#: The end of the API groups of all of Flux's controllers.
FLUX_DOMAIN = ".toolkit.fluxcd.io"
FLUX_KUSTOMIZE_GROUP = f"kustomize{FLUX_DOMAIN}"
FLUX_SOURCE_GROUP = f"source{FLUX_DOMAIN}"
FLUX_OPERATOR_GROUP = "fluxcd.controlplane.io"
#: The API group of the charts that k3s installs.
K3S_HELM_GROUP = "helm.cattle.io"
ARGOCD_GROUP = "argoproj.io"
#: The ends of the API groups of the objects that are instructions to an engine.
ENGINE_GROUPS = (ARGOCD_GROUP, FLUX_DOMAIN, FLUX_OPERATOR_GROUP, K3S_HELM_GROUP)
#: With it, Argo CD deletes the objects of an Application that is deleted.
CASCADE_FINALIZER = "resources-finalizer.argocd.argoproj.io"
#: The annotation and the label by which Argo CD knows the objects of an Application.
TRACKING_ID, INSTANCE_LABEL = "argocd.argoproj.io/tracking-id", "app.kubernetes.io/instance"
#: The patterns of files that Flux leaves out, at and below the folder of the file.
SOURCE_IGNORE = ".sourceignore"
#: The file by which Helm and Argo CD know a folder as a chart.
CHART = "Chart.yaml"
#: The files with options for the source of an Application begin so: its own has the name of the Application.
ARGOCD_SOURCE = ".argocd-source"
#: The ends of the names of manifests: what Flux applies of a folder, and what Argo CD and kubectl do.
FLUX_MANIFESTS = (".yaml", ".yml")
MANIFESTS = (*FLUX_MANIFESTS, ".json")
#: Argo CD also applies what it makes of Jsonnet.
_APPLIED = (*MANIFESTS, ".jsonnet")


def is_read_by_engines(path: str) -> bool:
    """Return True if a file may change what Flux or Argo CD applies of its folder, by its name."""
    name = path.rpartition("/")[2]
    return name.endswith(_APPLIED) or name in KUSTOMIZATION_FILES or name == SOURCE_IGNORE


def is_about_its_folder(path: str) -> bool:
    """Return True if a file says how Argo CD makes the manifests of its folder, and is not for kustomize."""
    name = path.rpartition("/")[2]
    return name.startswith(ARGOCD_SOURCE) or name.endswith(CHART)
