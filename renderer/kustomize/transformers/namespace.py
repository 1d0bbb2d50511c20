"""``namespace`` (kustomize ``NamespaceTransformer.go``, ``api/filters/namespace``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kustomize.fields.field_specs import (
    FieldSpecFilter,
    FieldSpecIndex,
    FieldSpecPath,
    PathSegment,
    WrongTypeError,
)
from renderer.kustomize.identity import STEPS_TO_RENAME, is_cluster_scoped, with_previous_id
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.cluster_wide import ClusterWideKinds
from renderer.model.kube.json import Json, JsonObject, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import FieldSpec
from renderer.model.plural import plural
from renderer.model.run.work import spend
from renderer.model.source_tree import Subjects

_METADATA_NAMESPACE = "metadata/namespace"
_METADATA_NAME = "metadata/name"
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_SUBJECTS_NAMESPACE = "subjects/namespace"

_NAMESPACE = (
    FieldSpecPath(
        (PathSegment("metadata", is_list=False), PathSegment("namespace", is_list=False)),
        _METADATA_NAMESPACE,
        create=True,
    ),
)
_SUBJECTS = (FieldSpecPath((PathSegment("subjects", is_list=False),), "subjects", create=False),)


def namespace_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of ``namespace``, if there is one."""
    namespace = context.root.kustomization.namespace
    if namespace:
        move = namespace_transform(namespace, context.field_specs.namespace)
        yield lambda resources: _move_and_warn(resources, move, context)


def _move_and_warn(resources: ResMap, move: Transform, context: TransformerContext) -> None:
    """Set the namespace, and warn about cluster-wide kinds that kustomize does not know to be so."""
    move(resources)
    kinds = ClusterWideKinds(resources)
    cluster_wide = [each for each in resources if each.namespace and each in kinds]
    if cluster_wide:
        first = f"{cluster_wide[0].kind} {cluster_wide[0].name}"
        others = f" and {plural(len(cluster_wide) - 1, 'other object')}" if len(cluster_wide) > 1 else ""
        context.warn(
            Diagnostic.at(
                context.root.kustomization.site_of("namespace"),
                Code.CLUSTER_SCOPED,
                f"a namespace is set on {first}{others}, which {'are' if others else 'is'} cluster-wide",
                "list cluster-wide objects in a kustomization without a namespace",
                severity=Severity.WARNING,
                resource=cluster_wide[0],
            )
        )


def namespace_transform(
    namespace: str,
    specs: tuple[FieldSpec, ...],
    *,
    unset_only: bool = False,
    subjects: Subjects = Subjects.DEFAULT_ONLY,
) -> Transform:
    """Return the transform that sets the namespace of resources, and of the fields that ``specs`` lead to.

    With ``unset_only`` existing values stay. ``subjects`` selects the accounts in role bindings that get it.
    """
    change = _NamespaceChange(namespace, specs, unset_only=unset_only, subjects=subjects)

    def move(resources: ResMap) -> None:
        resources.update(change.apply_and_store_id)
        resources.check_ids()

    return move


def with_namespace(resource: Resource, namespace: str) -> Resource:
    """Return the resource with the namespace in it and in the default accounts among its subjects."""
    return _NamespaceChange(namespace, (), unset_only=False, subjects=Subjects.DEFAULT_ONLY).apply(resource)


class _NamespaceChange:
    def __init__(
        self, namespace: str, specs: tuple[FieldSpec, ...], *, unset_only: bool, subjects: Subjects
    ) -> None:
        self._namespace = namespace
        self._unset_only = unset_only
        self._subjects = subjects
        self._index = FieldSpecIndex(spec for spec in specs if not _has_own_rule(spec))
        self._set = FieldSpecFilter(self._set_scalar, created="")
        self._set_subjects = FieldSpecFilter(self._move_subjects)

    def apply_and_store_id(self, resource: Resource) -> Resource:
        spend(STEPS_TO_RENAME, "moving resources to namespaces")
        return self.apply(with_previous_id(resource))

    def apply(self, resource: Resource) -> Resource:
        api_version, kind = resource.api_version, resource.kind
        targets = self._index.targets(resource)
        if api_version != "v1":  # only names of core API kinds (Namespaces) are set
            targets = tuple(target for target in targets if target.path != _METADATA_NAME)
        if not is_cluster_scoped(api_version, kind):
            resource = self._set.apply(resource, _NAMESPACE)
        if kind in _BINDINGS:
            resource = self._set_subjects.apply(resource, _SUBJECTS)
        return self._set.apply(resource, targets)

    def _set_scalar(self, value: Json) -> Json:
        if isinstance(value, dict | list):
            raise WrongTypeError("a scalar")
        return value if self._unset_only and value not in (None, "") else self._namespace

    def _move_subjects(self, subjects: Json) -> Json:
        """Return the subjects of a binding, with the namespace set in the selected ones."""
        if subjects is None:
            return None
        if not isinstance(subjects, list):
            raise WrongTypeError("a list")
        changed: list[Json] = []
        for subject in subjects:
            if subject is not None and not isinstance(subject, dict):
                raise WrongTypeError("a list of mappings")
            if subject is not None and self._is_selected(subject):
                changed.append({**subject, "namespace": self._set_scalar(subject.get("namespace"))})
            else:
                changed.append(subject)
        return changed

    def _is_selected(self, subject: JsonObject) -> bool:
        if self._subjects is Subjects.DEFAULT_ONLY:
            return scalar_text(subject.get("name")) == "default"
        return self._subjects is Subjects.ALL_SERVICE_ACCOUNTS and subject.get("kind") == "ServiceAccount"


def _has_own_rule(spec: FieldSpec) -> bool:
    """Return True for ``metadata.namespace``, which depends on the kind, and for the subjects of bindings."""
    return spec.path == _METADATA_NAMESPACE or (spec.kind in _BINDINGS and spec.path == _SUBJECTS_NAMESPACE)
