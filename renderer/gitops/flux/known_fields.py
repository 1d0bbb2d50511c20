"""The fields of Flux's objects: Kustomizations, sources and HelmReleases.

They are from ``config/crd/bases`` of kustomize-controller (1.9), source-controller (1.9) and helm-controller
(1.6), in the one version of each kind that these still have. Releases only add fields to such a version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from renderer.gitops.known_fields import Types, fields_unknown_to, plain
from renderer.model.diagnostic import Diagnostic
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP, FLUX_SOURCE_GROUP
from renderer.model.kube.resource import Resource

_VERSIONS = {
    FLUX_KUSTOMIZE_GROUP: "v1",
    FLUX_SOURCE_GROUP: "v1",
    "helm.toolkit.fluxcd.io": "v2",
}
#: Fields by which a Kustomization changes the objects that it builds.
BUILD_FIELDS = (
    "targetNamespace",
    "namePrefix",
    "nameSuffix",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "postBuild",
    "components",
    "images",
    "commonMetadata",
)
_REFUSED = "the API server refuses it in an object that Flux applies"
#: The variables, whose reader reports unknown fields.
_READ_STRICTLY = ("spec", "postBuild")
_OBJECT = plain("apiVersion", "kind", "metadata", "status")
_TYPES: Final[Types] = {
    "Kustomization": {**_OBJECT, "spec": "KustomizationSpec"},
    "GitRepository": {**_OBJECT, "spec": "GitRepositorySpec"},
    "OCIRepository": {**_OBJECT, "spec": "OCIRepositorySpec"},
    "Bucket": {**_OBJECT, "spec": "BucketSpec"},
    "HelmRepository": {**_OBJECT, "spec": "HelmRepositorySpec"},
    "HelmChart": {**_OBJECT, "spec": "HelmChartSpec"},
    "HelmRelease": {**_OBJECT, "spec": "HelmReleaseSpec"},
    "KustomizationSpec": {
        **plain("buildMetadata", "components", "deletionPolicy", "driftIgnoreRules", "force"),
        **plain("ignoreMissingComponents", "interval", "namePrefix", "nameSuffix", "path", "prune"),
        **plain("retryInterval", "serviceAccountName", "suspend", "targetNamespace", "timeout"),
        **plain("wait"),
        "commonMetadata": "CommonMetadata",
        "decryption": "Decryption",
        "dependsOn": "Dependency",
        "healthCheckExprs": "HealthExpression",
        "healthChecks": "HealthCheck",
        "ignore": "Ignore",
        "images": "Image",
        "kubeConfig": "KubeConfig",
        "patches": "Patch",
        "postBuild": "PostBuild",
        "sourceRef": "SourceRef",
    },
    "GitRepositorySpec": {
        **plain("ignore", "interval", "provider", "recurseSubmodules", "serviceAccountName"),
        **plain("sparseCheckout", "suspend", "timeout", "url"),
        "include": "Include",
        "proxySecretRef": "Named",
        "ref": "Ref",
        "secretRef": "Named",
        "verify": "Verify",
    },
    "OCIRepositorySpec": {
        **plain("ignore", "insecure", "interval", "provider", "serviceAccountName", "suspend"),
        **plain("timeout", "url"),
        "certSecretRef": "Named",
        "layerSelector": "LayerSelector",
        "proxySecretRef": "Named",
        "ref": "OCIRepositorySpecRef",
        "secretRef": "Named",
        "verify": "OCIRepositorySpecVerify",
    },
    "BucketSpec": {
        **plain("bucketName", "endpoint", "ignore", "insecure", "interval", "prefix", "provider"),
        **plain("region", "serviceAccountName", "suspend", "timeout"),
        "certSecretRef": "Named",
        "proxySecretRef": "Named",
        "secretRef": "Named",
        "sts": "Sts",
    },
    "HelmRepositorySpec": {
        **plain("insecure", "interval", "passCredentials", "provider", "suspend", "timeout", "type"),
        **plain("url"),
        "accessFrom": "AccessFrom",
        "certSecretRef": "Named",
        "secretRef": "Named",
    },
    "HelmChartSpec": {
        **plain("chart", "ignoreMissingValuesFiles", "interval", "reconcileStrategy", "suspend"),
        **plain("valuesFiles", "version"),
        "sourceRef": "HelmChartSpecSourceRef",
        "verify": "HelmChartSpecVerify",
    },
    "HelmReleaseSpec": {
        **plain("interval", "maxHistory", "persistentClient", "postRenderStrategy", "releaseName"),
        **plain("serviceAccountName", "storageNamespace", "suspend", "targetNamespace", "timeout"),
        **plain("values"),
        "chart": "Chart",
        "chartRef": "ChartRef",
        "commonMetadata": "CommonMetadata",
        "dependsOn": "Dependency",
        "driftDetection": "DriftDetection",
        "healthCheckExprs": "HealthExpression",
        "install": "Install",
        "kubeConfig": "KubeConfig",
        "postRenderers": "PostRenderers",
        "rollback": "Rollback",
        "test": "Test",
        "uninstall": "Uninstall",
        "upgrade": "Upgrade",
        "valuesFrom": "ValuesFrom",
        "waitStrategy": "Named",
    },
    "CommonMetadata": plain("annotations", "labels"),
    "Named": plain("name"),
    "Decryption": {
        **plain("provider", "serviceAccountName"),
        "secretRef": "Named",
    },
    "Dependency": plain("name", "namespace", "readyExpr"),
    "HealthExpression": plain("apiVersion", "current", "failed", "inProgress", "kind"),
    "HealthCheck": plain("apiVersion", "kind", "name", "namespace"),
    "Target": {
        **plain("annotationSelector", "group", "kind", "labelSelector", "name", "namespace"),
        **plain("version"),
    },
    "Ignore": {
        **plain("paths"),
        "target": "Target",
    },
    "Image": plain("digest", "name", "newName", "newTag"),
    "SecretRef": plain("key", "name"),
    "KubeConfig": {
        "configMapRef": "Named",
        "secretRef": "SecretRef",
    },
    "Patch": {
        **plain("patch"),
        "target": "Target",
    },
    "VariableSource": plain("kind", "name", "optional"),
    "PostBuild": {
        **plain("substitute", "substituteStrategy"),
        "substituteFrom": "VariableSource",
    },
    "SourceRef": plain("apiVersion", "kind", "name", "namespace"),
    "Include": {
        **plain("fromPath", "toPath"),
        "repository": "Named",
    },
    "Ref": plain("branch", "commit", "name", "semver", "tag"),
    "Verify": {
        **plain("mode"),
        "secretRef": "Named",
    },
    "LayerSelector": plain("mediaType", "operation"),
    "OCIRepositorySpecRef": plain("digest", "semver", "semverFilter", "tag"),
    "MatchOIDCIdentity": plain("issuer", "subject"),
    "OCIRepositorySpecVerify": {
        **plain("provider"),
        "matchOIDCIdentity": "MatchOIDCIdentity",
        "secretRef": "Named",
        "trustedRootSecretRef": "Named",
    },
    "Sts": {
        **plain("endpoint", "provider"),
        "certSecretRef": "Named",
        "secretRef": "Named",
    },
    "NamespaceSelectors": plain("matchLabels"),
    "AccessFrom": {
        "namespaceSelectors": "NamespaceSelectors",
    },
    "HelmChartSpecSourceRef": plain("apiVersion", "kind", "name"),
    "HelmChartSpecVerify": {
        **plain("provider"),
        "matchOIDCIdentity": "MatchOIDCIdentity",
        "secretRef": "Named",
    },
    "Metadata": plain("annotations", "labels"),
    "SpecVerify": {
        **plain("provider"),
        "secretRef": "Named",
    },
    "Spec": {
        **plain("chart", "ignoreMissingValuesFiles", "interval", "reconcileStrategy", "valuesFiles"),
        **plain("version"),
        "sourceRef": "SourceRef",
        "verify": "SpecVerify",
    },
    "Chart": {
        "metadata": "Metadata",
        "spec": "Spec",
    },
    "ChartRef": plain("apiVersion", "kind", "name", "namespace"),
    "DriftDetection": {
        **plain("mode"),
        "ignore": "Ignore",
    },
    "Remediation": plain("ignoreTestFailures", "remediateLastFailure", "retries"),
    "Strategy": plain("name", "retryInterval"),
    "Install": {
        **plain("crds", "createNamespace", "disableHooks", "disableOpenAPIValidation"),
        **plain("disableSchemaValidation", "disableTakeOwnership", "disableWait"),
        **plain("disableWaitForJobs", "replace", "serverSideApply", "skipCRDs", "timeout"),
        "remediation": "Remediation",
        "strategy": "Strategy",
    },
    "Kustomize": {
        "images": "Image",
        "patches": "Patch",
    },
    "PostRenderers": {
        "kustomize": "Kustomize",
    },
    "Rollback": {
        **plain("cleanupOnFail", "disableHooks", "disableWait", "disableWaitForJobs", "force"),
        **plain("recreate", "serverSideApply", "timeout"),
    },
    "Filters": plain("exclude", "name"),
    "Test": {
        **plain("enable", "ignoreFailures", "timeout"),
        "filters": "Filters",
    },
    "Uninstall": plain("deletionPropagation", "disableHooks", "disableWait", "keepHistory", "timeout"),
    "UpgradeRemediation": plain("ignoreTestFailures", "remediateLastFailure", "retries", "strategy"),
    "Upgrade": {
        **plain("chartNameChangeStrategy", "cleanupOnFail", "crds", "disableHooks"),
        **plain("disableOpenAPIValidation", "disableSchemaValidation", "disableTakeOwnership"),
        **plain("disableWait", "disableWaitForJobs", "force", "preserveValues", "serverSideApply"),
        **plain("timeout"),
        "remediation": "UpgradeRemediation",
        "strategy": "Strategy",
    },
    "ValuesFrom": plain("kind", "literal", "name", "optional", "targetPath", "valuesKey"),
}


#: The fields of ``spec`` of a Kustomization.
SPEC_FIELDS = frozenset(_TYPES["KustomizationSpec"])


def unknown_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each field of an object of Flux that its kind does not have.

    Flux applies objects server-side, and fields that are not in the schema are errors there. Objects in older
    versions of the API, which have other fields, are skipped.
    """
    if resource.kind in _TYPES and _VERSIONS.get(resource.gvk.group) == resource.gvk.version:
        for found in fields_unknown_to(_TYPES, resource, _REFUSED):
            if found.field is None or found.field.segments[:2] != _READ_STRICTLY:
                yield found
