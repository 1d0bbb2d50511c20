"""The fields of Applications, ApplicationSets and AppProjects (argo-cd ``manifests/crds``, 3.5).

Releases add fields; only ksonnet's were ever removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from renderer.gitops.known_fields import Types, fields_unknown_to, plain
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest
from renderer.model.sync_options import ignored_option

_OBJECT = plain("apiVersion", "kind", "metadata", "status")
_SOURCE = {
    **plain("chart", "ksonnet", "name", "path", "ref", "repoURL", "tagPrefix", "targetRevision"),
    "directory": "Directory",
    "helm": "Helm",
    "kustomize": "Kustomize",
    "plugin": "Plugin",
}
_GENERATORS = {
    "clusterDecisionResource": None,
    "clusters": "ClusterGenerator",
    "git": "GitGenerator",
    "list": "ListGenerator",
    "matrix": "MatrixGenerator",
    "merge": "MergeGenerator",
    "plugin": "PluginGenerator",
    "pullRequest": None,
    "scmProvider": None,
    "selector": "Selector",
}
_TYPES: Final[Types] = {
    "Application": {**_OBJECT, "operation": None, "spec": "ApplicationSpec"},
    "ApplicationSet": {**_OBJECT, "spec": "SetSpec"},
    "AppProject": {**_OBJECT, "spec": "ProjectSpec"},
    "ApplicationSpec": {
        **plain("project", "revisionHistoryLimit"),
        "destination": "Destination",
        "ignoreDifferences": "IgnoredDifference",
        "info": "NameAndValue",
        "source": "Source",
        "sourceHydrator": "Hydrator",
        "sources": "Source",
        "syncPolicy": "SyncPolicy",
    },
    "Destination": plain("name", "namespace", "server"),
    "IgnoredDifference": plain(
        *("group", "jqPathExpressions", "jsonPointers", "kind", "managedFieldsManagers", "name", "namespace")
    ),
    "NameAndValue": plain("name", "value"),
    "Source": _SOURCE,
    "Directory": {**plain("disableExtensionFilter", "exclude", "include", "recurse"), "jsonnet": "Jsonnet"},
    "Jsonnet": {"extVars": "JsonnetVariable", "libs": None, "tlas": "JsonnetVariable"},
    "JsonnetVariable": plain("code", "name", "value"),
    "Helm": {
        **plain("apiVersions", "ignoreMissingValueFiles", "kubeVersion", "namespace", "passCredentials"),
        **plain("releaseName", "skipCrds", "skipSchemaValidation", "skipTests", "valueFiles", "values"),
        **plain("valuesObject", "version"),
        "fileParameters": "FileParameter",
        "parameters": "HelmParameter",
    },
    "FileParameter": plain("name", "path"),
    "HelmParameter": plain("forceString", "name", "value"),
    "Kustomize": {
        **plain("apiVersions", "commonAnnotations", "commonAnnotationsEnvsubst", "commonLabels"),
        **plain("components", "forceCommonAnnotations", "forceCommonLabels", "ignoreMissingComponents"),
        **plain("images", "kubeVersion", "labelIncludeTemplates", "labelWithoutSelector", "namePrefix"),
        **plain("nameSuffix", "namespace", "version"),
        "patches": "Patch",
        "replicas": "Replica",
    },
    "Patch": {**plain("options", "patch", "path"), "target": "Target"},
    "Target": plain("annotationSelector", "group", "kind", "labelSelector", "name", "namespace", "version"),
    "Replica": plain("count", "name"),
    "Plugin": {"env": "NameAndValue", "name": None, "parameters": "PluginParameter"},
    "PluginParameter": plain("array", "map", "name", "string"),
    "Hydrator": {"drySource": "Source", "hydrateTo": "HydrateTo", "syncSource": "SyncSource"},
    "HydrateTo": plain("targetBranch"),
    "SyncSource": plain("path", "repoURL", "targetBranch"),
    "SyncPolicy": {
        "automated": "Automated",
        "managedNamespaceMetadata": "Labelled",
        "retry": "Retry",
        "syncOptions": None,
    },
    "Automated": plain("allowEmpty", "enabled", "prune", "selfHeal"),
    "Labelled": plain("annotations", "labels"),
    "Retry": {**plain("limit", "refresh"), "backoff": "Backoff"},
    "Backoff": plain("duration", "factor", "maxDuration"),
    "SetSpec": {
        **plain("applyNestedSelectors", "goTemplate", "goTemplateOptions", "templatePatch"),
        "generators": "Generator",
        "ignoreApplicationDifferences": "IgnoredInApplications",
        "preservedFields": "Labelled",
        "strategy": "Strategy",
        "syncPolicy": "SetSyncPolicy",
        "template": "ApplicationTemplate",
    },
    "IgnoredInApplications": plain("jqPathExpressions", "jsonPointers", "name"),
    "Strategy": {**plain("deletionOrder", "type"), "rollingSync": "RollingSync"},
    "RollingSync": {"steps": "RollingStep"},
    "RollingStep": {"matchExpressions": "Requirement", "maxUpdate": None},
    "Requirement": plain("key", "operator", "values"),
    "SetSyncPolicy": plain("applicationsSync", "preserveResourcesOnDeletion"),
    "ApplicationTemplate": {"metadata": "TemplateMetadata", "spec": "ApplicationSpec"},
    "TemplateMetadata": plain("annotations", "finalizers", "labels", "name", "namespace"),
    "Generator": _GENERATORS,
    "Selector": {"matchExpressions": "Requirement", "matchLabels": None},
    "ClusterGenerator": {
        **plain("flatList", "values"),
        "selector": "Selector",
        "template": "ApplicationTemplate",
    },
    "GitGenerator": {
        **plain("pathParamPrefix", "repoURL", "requeueAfterSeconds", "revision", "values"),
        "directories": "GitPath",
        "files": "GitPath",
        "template": "ApplicationTemplate",
    },
    "GitPath": plain("exclude", "path"),
    "ListGenerator": {**plain("elements", "elementsYaml"), "template": "ApplicationTemplate"},
    "MatrixGenerator": {"generators": "Generator", "template": "ApplicationTemplate"},
    "MergeGenerator": {"generators": "Generator", "mergeKeys": None, "template": "ApplicationTemplate"},
    "PluginGenerator": {
        **plain("configMapRef", "input", "requeueAfterSeconds", "values"),
        "template": "ApplicationTemplate",
    },
    "ProjectSpec": {
        **plain("description", "permitOnlyProjectScopedClusters", "sourceNamespaces", "sourceRepos"),
        "clusterResourceBlacklist": "NamedKind",
        "clusterResourceWhitelist": "NamedKind",
        "destinationServiceAccounts": "DestinationAccount",
        "destinations": "Destination",
        "namespaceResourceBlacklist": "GroupKind",
        "namespaceResourceWhitelist": "GroupKind",
        "orphanedResources": "OrphanedResources",
        "roles": "Role",
        "signatureKeys": "SignatureKey",
        "sourceIntegrity": "SourceIntegrity",
        "syncWindows": "SyncWindow",
    },
    "NamedKind": plain("group", "kind", "name"),
    "GroupKind": plain("group", "kind"),
    "DestinationAccount": plain("defaultServiceAccount", "namespace", "server"),
    "OrphanedResources": {"ignore": "NamedKind", "warn": None},
    "Role": plain("description", "groups", "jwtTokens", "name", "policies"),
    "SignatureKey": plain("keyID"),
    "SourceIntegrity": {"git": "GitIntegrity"},
    "GitIntegrity": {"policies": "IntegrityPolicy"},
    "IntegrityPolicy": {"gpg": "Signatures", "repos": "IntegrityRepository"},
    "Signatures": plain("keys", "mode"),
    "IntegrityRepository": plain("url"),
    "SyncWindow": plain(
        *("andOperator", "applications", "clusters", "description", "duration", "kind", "manualSync"),
        *("namespaces", "schedule", "syncOverrun", "timeZone"),
    ),
}
#: How source-integrity policies check signatures (argo-cd ``docs/user-guide/source-integrity-git-gpg.md``).
_SIGNATURE_MODES = ("none", "head", "strict")
#: Where each kind has the spec of an Application.
_SPECS = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}


def unknown_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each field, and each value of some fields, that objects of Argo CD do not have."""
    yield from fields_unknown_to(_TYPES, resource)
    yield from _ignored_sync_options(resource)
    if resource.kind == "AppProject":
        yield from _source_integrity(resource)


def _ignored_sync_options(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each sync option that Argo CD ignores."""
    spec = _SPECS.get(resource.kind)
    if not spec:
        return
    path = FieldPath((*spec, "syncPolicy", "syncOptions"))
    for index, option in enumerate(array_at(resource.content, *map(str, path.segments))):
        ignored = ignored_option(option) if isinstance(option, str) else None
        if ignored:
            place = path.child(index)
            fix = SetField(place, ignored.meant) if ignored.meant else None
            yield _warning(resource, place, ignored.message, ignored.hint, fix)


def _source_integrity(project: Resource) -> Iterator[Diagnostic]:
    """Yield warnings about policies for signatures that do not do what they say (from 3.5 on)."""
    policies = array_at(project.content, "spec", "sourceIntegrity", "git", "policies")
    if policies and array_at(project.content, "spec", "signatureKeys"):
        place = FieldPath.of("spec", "signatureKeys")
        message = "signatureKeys have no effect if sourceIntegrity is set"
        hint = "move the keys into its policies and remove signatureKeys"
        yield _warning(project, place, message, hint, None)
    for index, policy in enumerate(policies):
        mode = text_at(object_at(policy, "gpg"), "mode")
        if mode and mode not in _SIGNATURE_MODES:
            place = FieldPath.of("spec", "sourceIntegrity", "git", "policies", index, "gpg", "mode")
            message = f"there is no mode {mode} for signatures: Argo CD syncs nothing from these repositories"
            otherwise = f"its values are {', '.join(_SIGNATURE_MODES)}"
            near = suggest(mode, _SIGNATURE_MODES, most=1)
            nearest = f"did you mean {near[0]}?" if near else otherwise
            yield _warning(project, place, message, nearest, SetField(place, near[0]) if near else None)


def _warning(
    resource: Resource, place: FieldPath, message: str, hint: str | None, fix: Edit | None
) -> Diagnostic:
    return Diagnostic.about(
        resource, place, Code.UNKNOWN_FIELD, message, hint, severity=Severity.WARNING, fix=fix
    )
