"""Infer an instance type and a preference from a volume's labels (``inferFromVolume``).

KubeVirt ``pkg/instancetype/infer``. A volume refers to a PersistentVolumeClaim or a DataVolume. A DataVolume,
which may be one of the VirtualMachine's ``dataVolumeTemplates``, refers to a PersistentVolumeClaim, a
VolumeSnapshot or a DataSource; a DataSource to a PersistentVolumeClaim or a VolumeSnapshot. The first label
found counts.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import MatcherType
from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

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
            return self._from_labels(self._find("PersistentVolumeClaim", claim, self.scope.namespace))
        if volume.get("dataVolume") is not None:
            return self._from_data_volume(text_at(volume, "dataVolume", "name"))
        raise self._unsupported_source("is neither a persistentVolumeClaim nor a dataVolume")

    def _from_data_volume(self, name: str) -> Matcher:
        for template in array_at(self.vm_spec, "dataVolumeTemplates"):
            if text_at(template, "metadata", "name") == name:
                return self._from_data_volume_spec(object_at(template, "spec"), f"dataVolumeTemplate {name}")
        data_volume = self.scope.find("DataVolume", name) or self.scope.catalog.find_elsewhere(
            "DataVolume", name, self.scope.namespace
        )
        if data_volume is None:  # garbage collected, but its claim of the same name stays
            return self._from_labels(self._find("PersistentVolumeClaim", name, self.scope.namespace))
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
        if reference.get("kind") != "DataSource":
            kind = text_at(reference, "kind")
            raise self._unsupported_source(
                f'refers to {owner}, whose sourceRef is of kind "{kind}", not DataSource'
            )
        return self._from_data_source(reference)

    def _from_data_source(self, reference: JsonObject) -> Matcher:
        namespace = reference.get("namespace")
        found = self._find(
            "DataSource",
            text_at(reference, "name"),
            namespace if isinstance(namespace, str) else self.scope.namespace,
        )
        labelled = self._matcher_of_labels(found)
        if labelled is not None:
            return labelled
        origin = self._source_of(object_at(found.content, "spec", "source"))
        if origin is None:
            raise self._unsupported_source(
                f"refers to DataSource {found.name}, which has neither labels nor a source"
            )
        return self._from_labels(origin)

    def _source_of(self, source: JsonObject) -> Resource | None:
        """Return the object that a DataVolume or DataSource is copied from, if it can have labels."""
        if source.get("pvc") is not None:
            return self._find_source("PersistentVolumeClaim", object_at(source, "pvc"))
        if self.behaviour.infers_from_volume_snapshots and source.get("snapshot") is not None:
            return self._find_source("VolumeSnapshot", object_at(source, "snapshot"))
        return None

    def _find_source(self, kind: str, source: JsonObject) -> Resource:
        return self._find(kind, text_at(source, "name"), text_at(source, "namespace"))

    def _find(self, kind: str, name: str, namespace: str) -> Resource:
        catalog = self.scope.catalog
        found = self.scope.find(kind, name, namespace) or catalog.find_elsewhere(kind, name, namespace)
        if found is None:
            place = f"{namespace}/{name}" if namespace else name or '""'
            raise self._error(
                f"volume {self.volume} refers to {kind} {place}, which is in no catalog and no overlay",
                hint=f"add the {kind}, or set {self.matcher_type.path}.name",
            )
        return found

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
