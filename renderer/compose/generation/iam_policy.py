"""Service accounts that stand for one of Google's cloud (kustomize ``api/filters/iampolicygenerator``)."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import Json
from renderer.model.kustomization import IamPolicyGenerator
from renderer.model.resource import Resource

_GKE = "gke"


def generate(generator: IamPolicyGenerator) -> Resource:
    """The ServiceAccount. Raises: kustomization-field when the cloud is not ``gke``."""
    if generator.cloud != _GKE:
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"cloud cannot be {generator.cloud!r}",
                sites=(generator.site.below("cloud"),),
                hint=f"{_GKE} is the only one that kustomize knows",
            )
        )
    account = f"{generator.account_name}@{generator.project_id}.iam.gserviceaccount.com"
    metadata: dict[str, Json] = {
        "annotations": {"iam.gke.io/gcp-service-account": account},
        "name": generator.kubernetes_name,
    }
    if generator.kubernetes_namespace:
        metadata["namespace"] = generator.kubernetes_namespace
    return Resource({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}, generator.site)
