"""The fields of Applications, ApplicationSets and AppProjects (argo-cd ``manifests/crds``, 3.5).

A type maps each field to the type of its value, or to None if any value is fine there, or its fields are not
known here. The elements of a list have the type of the list. Releases add fields; only ksonnet's were
ever removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, RemoveField, RenameField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest

#: The fields of a mapping, with the names of their types.
_Fields: TypeAlias = Mapping[str, str | None]


def _plain(*names: str) -> _Fields:
    return dict.fromkeys(names)


_OBJECT = _plain("apiVersion", "kind", "metadata", "status")
_SOURCE = {
    **_plain("chart", "ksonnet", "name", "path", "ref", "repoURL", "tagPrefix", "targetRevision"),
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
_TYPES: Final[Mapping[str, _Fields]] = {
    "Application": {**_OBJECT, "operation": None, "spec": "ApplicationSpec"},
    "ApplicationSet": {**_OBJECT, "spec": "SetSpec"},
    "AppProject": {**_OBJECT, "spec": "ProjectSpec"},
    "ApplicationSpec": {
        **_plain("project", "revisionHistoryLimit"),
        "destination": "Destination",
        "ignoreDifferences": "IgnoredDifference",
        "info": "NameAndValue",
        "source": "Source",
        "sourceHydrator": "Hydrator",
        "sources": "Source",
        "syncPolicy": "SyncPolicy",
    },
    "Destination": _plain("name", "namespace", "server"),
    "IgnoredDifference": _plain(
        *("group", "jqPathExpressions", "jsonPointers", "kind", "managedFieldsManagers", "name", "namespace")
    ),
    "NameAndValue": _plain("name", "value"),
    "Source": _SOURCE,
    "Directory": {**_plain("disableExtensionFilter", "exclude", "include", "recurse"), "jsonnet": "Jsonnet"},
    "Jsonnet": {"extVars": "JsonnetVariable", "libs": None, "tlas": "JsonnetVariable"},
    "JsonnetVariable": _plain("code", "name", "value"),
    "Helm": {
        **_plain("apiVersions", "ignoreMissingValueFiles", "kubeVersion", "namespace", "passCredentials"),
        **_plain("releaseName", "skipCrds", "skipSchemaValidation", "skipTests", "valueFiles", "values"),
        **_plain("valuesObject", "version"),
        "fileParameters": "FileParameter",
        "parameters": "HelmParameter",
    },
    "FileParameter": _plain("name", "path"),
    "HelmParameter": _plain("forceString", "name", "value"),
    "Kustomize": {
        **_plain("apiVersions", "commonAnnotations", "commonAnnotationsEnvsubst", "commonLabels"),
        **_plain("components", "forceCommonAnnotations", "forceCommonLabels", "ignoreMissingComponents"),
        **_plain("images", "kubeVersion", "labelIncludeTemplates", "labelWithoutSelector", "namePrefix"),
        **_plain("nameSuffix", "namespace", "version"),
        "patches": "Patch",
        "replicas": "Replica",
    },
    "Patch": {**_plain("options", "patch", "path"), "target": "Target"},
    "Target": _plain("annotationSelector", "group", "kind", "labelSelector", "name", "namespace", "version"),
    "Replica": _plain("count", "name"),
    "Plugin": {"env": "NameAndValue", "name": None, "parameters": "PluginParameter"},
    "PluginParameter": _plain("array", "map", "name", "string"),
    "Hydrator": {"drySource": "Source", "hydrateTo": "HydrateTo", "syncSource": "SyncSource"},
    "HydrateTo": _plain("targetBranch"),
    "SyncSource": _plain("path", "repoURL", "targetBranch"),
    "SyncPolicy": {
        "automated": "Automated",
        "managedNamespaceMetadata": "Labelled",
        "retry": "Retry",
        "syncOptions": None,
    },
    "Automated": _plain("allowEmpty", "enabled", "prune", "selfHeal"),
    "Labelled": _plain("annotations", "labels"),
    "Retry": {**_plain("limit", "refresh"), "backoff": "Backoff"},
    "Backoff": _plain("duration", "factor", "maxDuration"),
    "SetSpec": {
        **_plain("applyNestedSelectors", "goTemplate", "goTemplateOptions", "templatePatch"),
        "generators": "Generator",
        "ignoreApplicationDifferences": "IgnoredInApplications",
        "preservedFields": "Labelled",
        "strategy": "Strategy",
        "syncPolicy": "SetSyncPolicy",
        "template": "ApplicationTemplate",
    },
    "IgnoredInApplications": _plain("jqPathExpressions", "jsonPointers", "name"),
    "Strategy": {**_plain("deletionOrder", "type"), "rollingSync": "RollingSync"},
    "RollingSync": {"steps": "RollingStep"},
    "RollingStep": {"matchExpressions": "Requirement", "maxUpdate": None},
    "Requirement": _plain("key", "operator", "values"),
    "SetSyncPolicy": _plain("applicationsSync", "preserveResourcesOnDeletion"),
    "ApplicationTemplate": {"metadata": "TemplateMetadata", "spec": "ApplicationSpec"},
    "TemplateMetadata": _plain("annotations", "finalizers", "labels", "name", "namespace"),
    "Generator": _GENERATORS,
    "Selector": {"matchExpressions": "Requirement", "matchLabels": None},
    "ClusterGenerator": {
        **_plain("flatList", "values"),
        "selector": "Selector",
        "template": "ApplicationTemplate",
    },
    "GitGenerator": {
        **_plain("pathParamPrefix", "repoURL", "requeueAfterSeconds", "revision", "values"),
        "directories": "GitPath",
        "files": "GitPath",
        "template": "ApplicationTemplate",
    },
    "GitPath": _plain("exclude", "path"),
    "ListGenerator": {**_plain("elements", "elementsYaml"), "template": "ApplicationTemplate"},
    "MatrixGenerator": {"generators": "Generator", "template": "ApplicationTemplate"},
    "MergeGenerator": {"generators": "Generator", "mergeKeys": None, "template": "ApplicationTemplate"},
    "PluginGenerator": {
        **_plain("configMapRef", "input", "requeueAfterSeconds", "values"),
        "template": "ApplicationTemplate",
    },
    "ProjectSpec": {
        **_plain("description", "permitOnlyProjectScopedClusters", "sourceNamespaces", "sourceRepos"),
        "clusterResourceBlacklist": "NamedKind",
        "clusterResourceWhitelist": "NamedKind",
        "destinationServiceAccounts": "DestinationAccount",
        "destinations": "Destination",
        "namespaceResourceBlacklist": "GroupKind",
        "namespaceResourceWhitelist": "GroupKind",
        "orphanedResources": "OrphanedResources",
        "roles": "Role",
        "signatureKeys": "SignatureKey",
        "sourceIntegrity": None,
        "syncWindows": "SyncWindow",
    },
    "NamedKind": _plain("group", "kind", "name"),
    "GroupKind": _plain("group", "kind"),
    "DestinationAccount": _plain("defaultServiceAccount", "namespace", "server"),
    "OrphanedResources": {"ignore": "NamedKind", "warn": None},
    "Role": _plain("description", "groups", "jwtTokens", "name", "policies"),
    "SignatureKey": _plain("keyID"),
    "SyncWindow": _plain(
        *("andOperator", "applications", "clusters", "description", "duration", "kind", "manualSync"),
        *("namespaces", "schedule", "syncOverrun", "timeZone"),
    ),
}


def unknown_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each field of an object of Argo CD that its kind does not have."""
    yield from _unknown(resource, resource.content, resource.kind, ROOT)


def _unknown(resource: Resource, value: Json, kind: str, place: FieldPath) -> Iterator[Diagnostic]:
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from _unknown(resource, element, kind, place.child(index))
        return
    known, fields = _TYPES[kind], object_at(value)
    for name, child in fields.items():
        if name not in known:
            yield _not_a_field(resource, place.child(name), known, fields)
        elif known[name]:
            yield from _unknown(resource, child, known[name] or "", place.child(name))


def _not_a_field(
    resource: Resource, place: FieldPath, known: _Fields, written: Mapping[str, Json]
) -> Diagnostic:
    name = str(place.segments[-1])
    near = suggest(name, known, most=1, cutoff=0.7)
    below = next((each for each, kind in known.items() if kind and name in _TYPES[kind]), None)
    fix: Edit = RenameField(place, near[0]) if near else RemoveField(place)
    advice = f"did you mean {near[0]}?" if near else "remove it:"
    if near and near[0] in written:
        advice, fix = f"remove it, as {near[0]} is written as well:", RemoveField(place)
    if below:
        advice = f"it is a field of {place.parent.child(below)}:"
    return Diagnostic.about(
        resource,
        place,
        Code.UNKNOWN_FIELD,
        f"{place} is not a field of {resource.kind}",
        f"{advice} the API server would drop it silently",
        severity=Severity.WARNING,
        fix=None if below else fix,
    )
