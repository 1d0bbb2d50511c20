"""The fields of Applications, ApplicationSets and AppProjects (argo-cd ``manifests/crds``, 3.5).

Releases add fields; only ksonnet's were ever removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from renderer.gitops.known_fields import Types, fields_unknown_to, plain
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import array_at
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest

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
        "sourceIntegrity": None,
        "syncWindows": "SyncWindow",
    },
    "NamedKind": plain("group", "kind", "name"),
    "GroupKind": plain("group", "kind"),
    "DestinationAccount": plain("defaultServiceAccount", "namespace", "server"),
    "OrphanedResources": {"ignore": "NamedKind", "warn": None},
    "Role": plain("description", "groups", "jwtTokens", "name", "policies"),
    "SignatureKey": plain("keyID"),
    "SyncWindow": plain(
        *("andOperator", "applications", "clusters", "description", "duration", "kind", "manualSync"),
        *("namespaces", "schedule", "syncOverrun", "timeZone"),
    ),
}
#: The options of a sync (argo-cd ``docs/user-guide/sync-options.md``).
_SYNC_OPTIONS = (
    *("ApplyOutOfSyncOnly", "ClientSideApplyMigration", "CreateNamespace", "Delete", "FailOnSharedResource"),
    *("Force", "Prune", "PruneLast", "PrunePropagationPolicy", "Replace", "RespectIgnoreDifferences"),
    *("ServerSideApply", "SkipDryRunOnMissingResource", "Validate"),
)
#: Where each kind has the spec of an Application.
_SPECS = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}


def unknown_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each field of an object of Argo CD that its kind does not have."""
    yield from fields_unknown_to(_TYPES, resource)
    spec = _SPECS.get(resource.kind)
    path = FieldPath((*spec, "syncPolicy", "syncOptions")) if spec else ROOT
    for index, option in enumerate(array_at(resource.content, *map(str, path.segments)) if spec else ()):
        name, equals, value = option.partition("=") if isinstance(option, str) else ("", "", "")
        near = (
            suggest(name, _SYNC_OPTIONS, most=1, cutoff=0.8) if equals and name not in _SYNC_OPTIONS else ()
        )
        if near:
            place = path.child(index)
            yield Diagnostic.about(
                resource,
                place,
                Code.UNKNOWN_FIELD,
                f"Argo CD does not know the sync option {name}",
                f"did you mean {near[0]}? Argo CD ignores it",
                severity=Severity.WARNING,
                fix=SetField(place, f"{near[0]}={value}"),
            )
