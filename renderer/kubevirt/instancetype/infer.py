"""Infer an instance type and a preference from a volume's labels (``inferFromVolume``).

KubeVirt ``pkg/instancetype/infer``. A volume refers to a PersistentVolumeClaim or a DataVolume. A DataVolume,
which may be one of the VirtualMachine's ``dataVolumeTemplates``, refers to a PersistentVolumeClaim, a
VolumeSnapshot or a DataSource; a DataSource to a PersistentVolumeClaim or a VolumeSnapshot. The first label
found counts.

CDI copies labels to a DataSource, from the cron that manages it and the image that was imported
(``pkg/controller/dataimportcron-controller.go``). Such a label is in no file.
"""

from __future__ import annotations

from renderer.kubevirt.facts.boot_images import OS_IMAGE_NAMESPACES, ManagedDataSource
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    DATA_SOURCE,
    DATA_VOLUME,
    HYPERCONVERGED,
    VOLUME_SNAPSHOT,
    MatcherType,
)
from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.managed_data_sources import ClusterDataSources, architecture_of
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.model.codes import Code
from renderer.model.diagnostic import Related, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.render_config import PROJECT_FILE

_LABELS = FieldPath.of("metadata", "labels")
_VOLUMES = INSTANCE_SPEC.child("volumes")


class InferenceError(CauseError):
    """Inference failed; the failure policy ``Ignore`` covers an ``ignorable`` one."""

    def __init__(self, cause: ExpansionCause, *, ignorable: bool) -> None:
        super().__init__(cause)
        self.ignorable = ignorable


def infer_matcher(
    matcher: Matcher, matcher_type: MatcherType, vm_spec: JsonObject, scope: Scope, behaviour: Behaviour
) -> Matcher | None:
    """Return the matcher with the name and kind from its volume's labels; None if it has to be dropped.

    A matcher without a volume is returned unchanged. Raises ``InferenceError``.
    """
    if not matcher.infer_from_volume:
        return matcher
    try:
        return _Chain(matcher.infer_from_volume, matcher_type, vm_spec, scope, behaviour).from_volumes()
    except InferenceError as error:
        if error.ignorable and matcher.may_fail_to_infer:
            return None
        raise


class _Chain(Record):
    """The chain of references from one volume of a VirtualMachine to a label."""

    volume: str
    matcher_type: MatcherType
    vm_spec: JsonObject
    scope: Scope
    behaviour: Behaviour

    def from_volumes(self) -> Matcher:
        for index, volume in enumerate(array_at(self.vm_spec, "template", "spec", "volumes")):
            if text_at(volume, "name") == self.volume:
                return self._from_volume(object_at(volume))._replace(volume=_VOLUMES.child(index))
        raise self._error(f"there is no volume {self.volume} to infer the {self.matcher_type.noun} from")

    def _from_volume(self, volume: JsonObject) -> Matcher:
        if volume.get("persistentVolumeClaim") is not None:
            claim = text_at(volume, "persistentVolumeClaim", "claimName")
            return self._from_labels(self._find(CLAIM, claim, self.scope.namespace))
        if volume.get("dataVolume") is not None:
            return self._from_data_volume(text_at(volume, "dataVolume", "name"))
        raise self._unsupported_source("is neither a persistentVolumeClaim nor a dataVolume")

    def _from_data_volume(self, name: str) -> Matcher:
        for template in array_at(self.vm_spec, "dataVolumeTemplates"):
            if text_at(template, "metadata", "name") == name:
                return self._from_data_volume_spec(object_at(template, "spec"), f"dataVolumeTemplate {name}")
        data_volume = self._written(DATA_VOLUME, name, self.scope.namespace)
        if data_volume is None:  # garbage collected, but its claim of the same name stays
            return self._from_labels(self._find(CLAIM, name, self.scope.namespace))
        spec = object_at(data_volume.content, "spec")
        return self._matcher_of_labels(data_volume) or self._from_data_volume_spec(spec, f"DataVolume {name}")

    def _from_data_volume_spec(self, spec: JsonObject, owner: str) -> Matcher:
        source = object_at(spec, "source")
        origin = self._source_of(source)
        if origin is not None:
            return self._from_labels(origin)
        if spec.get("sourceRef") is None:
            raise self._unsupported_source(f"refers to {owner}, whose source has no labels")
        reference = object_at(spec, "sourceRef")
        if reference.get("kind") != DATA_SOURCE:
            kind = text_at(reference, "kind")
            raise self._unsupported_source(
                f'refers to {owner}, whose sourceRef is of kind "{kind}", not DataSource'
            )
        return self._from_data_source(reference)

    def _from_data_source(self, reference: JsonObject) -> Matcher:
        name, written = text_at(reference, "name"), reference.get("namespace")
        namespace = written if isinstance(written, str) else self.scope.namespace
        found = self._written(DATA_SOURCE, name, namespace)
        labelled = None if found is None else self._matcher_of_labels(found)
        if labelled is not None:
            return labelled
        managed = self._cluster.find(name, namespace)
        if managed is not None and (found is None or managed.made_by is not None):
            return self._from_managed(managed, name, namespace)
        if found is None:
            raise self._missing(DATA_SOURCE, name, namespace)
        origin = self._source_of(object_at(found.content, "spec", "source"))
        if origin is not None:
            return self._from_labels(origin)
        raise self._unsupported_source(
            f"refers to DataSource {found.name}, which has neither labels nor a source"
        )

    def _from_managed(self, managed: ManagedDataSource, name: str, namespace: str) -> Matcher:
        """Return the matcher of a DataSource whose labels CDI writes, as far as they are known."""
        matcher_type = self.matcher_type
        of_machine = text_at(self.vm_spec, "template", "spec", "architecture")
        label = matcher_type.name_label
        value = managed.label(label, architecture_of(name, of_machine), self.behaviour.release)
        made_by = managed.made_by
        related = (
            () if made_by is None else (Related(f"{made_by.kind} imports it", made_by.sites(managed.field)),)
        )
        if not value:  # HyperConverged ignores labels in templates of its own images
            labelled = DATA_SOURCE if made_by is None or made_by.kind == HYPERCONVERGED else made_by.kind
            raise self._not_inferred(
                f"the {matcher_type.noun} of DataSource {namespace}/{name} depends on image {managed.image}",
                f"write the {labelled} with that label",
                related,
            )
        is_written = made_by is not None and label in managed.labels
        return Matcher(
            value,
            text_at(managed.labels, matcher_type.kind_label),
            label=related[0] if related else None,
            boot_image="" if is_written else f"{namespace}/{name}, imported from {managed.image}",
        )

    def _source_of(self, source: JsonObject) -> Resource | None:
        """Return the object that a DataVolume or DataSource is copied from, if it can have labels."""
        if source.get("pvc") is not None:
            return self._find_source(CLAIM, object_at(source, "pvc"))
        if self.behaviour.infers_from_volume_snapshots and source.get("snapshot") is not None:
            return self._find_source(VOLUME_SNAPSHOT, object_at(source, "snapshot"))
        return None

    def _find_source(self, kind: str, source: JsonObject) -> Resource:
        return self._find(kind, text_at(source, "name"), text_at(source, "namespace"))

    def _find(self, kind: str, name: str, namespace: str) -> Resource:
        found = self._written(kind, name, namespace)
        if found is None:
            raise self._missing(kind, name, namespace)
        return found

    def _written(self, kind: str, name: str, namespace: str) -> Resource | None:
        """Return an object of the repository."""
        found = self.scope.find(kind, name, namespace)
        found = found or self.scope.catalog.find_elsewhere(kind, name, namespace)
        return found if found is not None and found.kind == kind else None

    @property
    def _cluster(self) -> ClusterDataSources:
        return ClusterDataSources(self.scope, self.behaviour.release)

    def _missing(self, kind: str, name: str, namespace: str) -> InferenceError:
        """Return the error for an object that is not in the repository."""
        place = namespaced_name(namespace, name) or '""'
        if name and self._cluster.may_be_unwritten(namespace):
            is_listed = namespace in self.scope.catalog.golden_images
            operators = self._cluster.hyperconverged if namespace in OS_IMAGE_NAMESPACES else ()
            return self._not_inferred(
                f"{kind} {place}, whose label names the {self.matcher_type.noun}, is not in the repository",
                f"write the {kind} with that label",
                tuple(Related(f"{each.kind} does not import it", each.sites()) for each in operators),
                Severity.INFO if is_listed else Severity.WARNING,
            )
        or_list = f"; if only the cluster has it, list {namespace} under goldenImages in {PROJECT_FILE}"
        if kind != DATA_SOURCE or not namespace:
            or_list = ""
        error = self._error(
            f"volume {self.volume} refers to {kind} {place}, which is in no catalog and no overlay",
            hint=f"add the {kind}, or set {self.matcher_type.path}.name{or_list}",
        )
        return InferenceError(error.causes[0]._replace(offline=Severity.ERROR), ignorable=False)

    def _not_inferred(
        self,
        reason: str,
        remedy: str,
        related: tuple[Related, ...] = (),
        offline: Severity = Severity.WARNING,
    ) -> InferenceError:
        """Return the error for a label that only the cluster knows."""
        at = self.matcher_type.path.child("inferFromVolume")
        hint = f"name the {self.matcher_type.noun} instead of inferring it, or {remedy}"
        cause = ExpansionCause.at_field(at, Code.NOT_INFERRED, reason, hint, related=related)
        return InferenceError(cause._replace(offline=offline), ignorable=False)

    def _matcher_of_labels(self, resource: Resource) -> Matcher | None:
        labels = object_at(resource.content, "metadata", "labels")
        label = self.matcher_type.name_label
        if label not in labels:
            return None
        name = text_at(labels, label)
        return Matcher(
            name,
            text_at(labels, self.matcher_type.kind_label),
            label=Related(f"{label}: {name}", resource.sites(_LABELS.child(label))),
        )

    def _from_labels(self, resource: Resource) -> Matcher:
        labelled = self._matcher_of_labels(resource)
        if labelled is not None:
            return labelled
        label = self.matcher_type.name_label
        raise self._error(
            f"volume {self.volume} refers to {resource.current_id}, which has no label {label}",
            hint=f"label it, or set {self.matcher_type.path}.name",
            related=(Related("the labels", resource.sites(_LABELS)),),
            ignorable=True,
        )

    def _unsupported_source(self, reason: str) -> InferenceError:
        what = f"the {self.matcher_type.noun} cannot be inferred from volume {self.volume}, which {reason}"
        return self._error(what, hint=f"set {self.matcher_type.path}.name", ignorable=True)

    def _error(
        self,
        message: str,
        *,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        ignorable: bool = False,
    ) -> InferenceError:
        at = self.matcher_type.path.child("inferFromVolume")
        cause = ExpansionCause.at_field(at, Code.INFERENCE_FAILED, message, hint, related=related)
        return InferenceError(cause, ignorable=ignorable)
