"""Cases of the mode ``vm``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from renderer.kubevirt.admission.causes import Cause as Refusal
from renderer.kubevirt.admission.vm import check_vm
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.apply_to_vm import ConflictError, apply, apply_checked
from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.kubevirt.instancetype.cause import CauseError, CrashError, DefaultsError, ExpansionCause
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.expand import expand_spec
from renderer.kubevirt.instancetype.find import Finder
from renderer.kubevirt.instancetype.matcher import Matcher, check_matcher_update, read_matcher
from renderer.kubevirt.instancetype.resolve import Matchers, ResolvedMatchers, resolve_matchers, select
from renderer.kubevirt.instancetype.virtual_machine import with_expanded_template
from renderer.kubevirt.instancetype.vmi_object_defaults import default_spec_for_webhook
from renderer.kubevirt.instancetype.webhook_fields import mutation_of, with_storage_classes
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release
from tests.conformance.kubevirt.case import Case, Outputs
from tests.conformance.kubevirt.cluster import scope_of

#: The first release whose expand-spec names the conflicting fields as data, not only in its text.
_FIRST_TO_NAME_CONFLICTS = Release.parse("1.5")


def vm_outputs(case: Case) -> Outputs:
    """The steps of virt-api on the VM, in order; null for steps skipped after the matchers are refused."""
    request = _Request(case)
    names = ("mutated", "admit", "validate", "applied", "expand")
    steps = (request.mutated, request.admitted, request.validated, request.applied, request.expanded)
    outputs = {name: _unless_refused(request, step) for name, step in zip(names, steps, strict=True)}
    computed = {"inferred": request.inferred, **outputs}
    return {name: compute for name, compute in computed.items() if name in case.output}


class _Request:
    """The creation, or the change, of a VM."""

    def __init__(self, case: Case) -> None:
        self._vm = object_at(case.input, "vm")
        self._old_spec = object_at(case.input, "oldVM", "spec")
        self._scope = scope_of(case)
        self._behaviour = behaviour_of(case.target)
        self._finder = Finder(self._behaviour)

    @cached_property
    def matchers(self) -> Matchers:
        spec = object_at(self._vm, "spec")
        causes: list[ExpansionCause] = []
        for matcher_type in (INSTANCETYPE, PREFERENCE):
            new, old = (read_matcher(each, matcher_type) for each in (spec, self._old_spec))
            causes += check_matcher_update(new, old, matcher_type)
        if causes:
            raise CauseError(*causes)
        return resolve_matchers(spec, self._scope, self._behaviour)

    @cached_property
    def _template(self) -> JsonObject:
        return self.matchers.template(object_at(self._vm, "spec", "template"))

    @cached_property
    def _cluster(self) -> Cluster:
        return Cluster(self._behaviour.release, cluster_config(self._scope.catalog, self._behaviour.release))

    @cached_property
    def _selected(self) -> ResolvedMatchers:
        return self._select(self.matchers)

    def _select(self, matchers: Matchers) -> ResolvedMatchers:
        return select(matchers, object_at(self._vm, "status"), self._scope, self._finder)

    def inferred(self) -> Json:
        try:
            matchers = self.matchers
        except CauseError as error:
            refused = tuple(cause for cause in error.causes if cause.code is Code.MATCHER_INVALID)
            causes = _causes(_of_first_matcher(refused))
            return {"error": str(error), "causes": causes} if causes else {"error": str(error)}
        return {"instancetype": _content(matchers.instancetype), "preference": _content(matchers.preference)}

    def mutated(self) -> Json:
        preference = self._ignoring_missing().preference
        mutation = mutation_of(
            object_at(self._vm, "spec"),
            None if preference is None else preference.spec,
            self._cluster.config,
            self._scope,
            self._behaviour,
        )
        written: dict[str, Json] = {
            "architecture": mutation.architecture,
            "machineType": mutation.machine_type,
        }
        preferred = text_at(preference and preference.spec, "volumes", "preferredStorageClassName")
        names = storage_class_names(self._vm, preferred, self._behaviour)
        return {**written, "storageClassNames": names} if names else written

    @cached_property
    def _admitted(self) -> JsonObject:
        """``spec.template`` as admitted. Raises ``CauseError`` or ``DiagnosticError``."""
        selected = self._ignoring_missing() if self._behaviour.admits_missing_objects else self._selected
        return apply_checked(selected, self._template, self._scope, self._cluster)

    def admitted(self) -> Json:
        try:
            _ = self._admitted
        except (CrashError, DefaultsError, DiagnosticError) as error:
            return {"causes": [], "error": str(error)}
        except CauseError as error:
            return {"causes": _causes(_of_first_matcher(error.causes))}
        return {"causes": []}

    def validated(self) -> Json:
        """Return the causes of the rest of the webhook; null if the VM is refused earlier."""
        config = self._cluster.config
        try:
            template = self._admitted
            vmi_spec = default_spec_for_webhook(object_at(template, "spec"), config, self._behaviour)
        except (CauseError, DiagnosticError):
            return None
        vm_spec = {**object_at(self._vm, "spec"), "template": {**template, "spec": vmi_spec}}
        causes = check_vm(vm_spec, Cluster(self._behaviour.release, config))
        return {"causes": [cause_content(cause) for cause in causes]}

    def _ignoring_missing(self) -> ResolvedMatchers:
        """Return the objects that are found; KubeVirt continues without the rest."""
        found = []
        for only in (Matchers(self.matchers.instancetype), Matchers(None, self.matchers.preference)):
            try:
                found.append(self._select(only))
            except CauseError:
                found.append(ResolvedMatchers())
        return ResolvedMatchers(found[0].instancetype, found[1].preference)

    def applied(self) -> Json:
        return self._result(lambda: apply(self._selected, self._template, self._scope, self._behaviour))

    def expanded(self) -> Json:
        if not self.matchers:
            return self._result(lambda: self._template)
        result = self._result(lambda: expand_spec(self._selected, self._template, self._scope, self._cluster))
        if "conflicts" not in result:
            return result
        error: JsonObject = {"error": "instance type and VM conflict"}
        return error if self._behaviour.release < _FIRST_TO_NAME_CONFLICTS else {**result, **error}

    def _result(self, expand: Callable[[], JsonObject]) -> JsonObject:
        try:
            return {"vm": with_expanded_template(self._vm, expand())}
        except ConflictError as error:
            return {"conflicts": [cause.field for cause in error.causes]}
        except (CauseError, DiagnosticError) as error:
            return {"error": str(error)}


def _unless_refused(request: _Request, step: Callable[[], Json]) -> Callable[[], Json]:
    def output() -> Json:
        try:
            _ = request.matchers
        except CauseError:
            return None
        return step()

    return output


def _of_first_matcher(causes: tuple[ExpansionCause, ...]) -> tuple[ExpansionCause, ...]:
    """KubeVirt stops at the first invalid matcher."""
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        own = tuple(cause for cause in causes if cause.at.segments[:2] == matcher_type.path.segments)
        if own:
            return own
    return causes


def cause_content(cause: Refusal) -> Json:
    return {"type": cause.type.value, "field": cause.field, "message": cause.message}


def _causes(causes: tuple[ExpansionCause, ...]) -> list[Json]:
    return [{"field": cause.field, "message": cause.message} for cause in causes]


def _content(matcher: Matcher | None) -> Json:
    return None if matcher is None else matcher.content()


def storage_class_names(vm: JsonObject, preferred: str, behaviour: Behaviour) -> list[Json]:
    """The storage class of each of the ``dataVolumeTemplates``, of ``storage`` or else of ``pvc``."""
    templates = array_at(with_storage_classes(vm, preferred, behaviour), "spec", "dataVolumeTemplates")
    named = (
        [object_at(each, "spec", section).get("storageClassName") for section in ("storage", "pvc")]
        for each in templates
    )
    return [next((name for name in names if isinstance(name, str)), None) for names in named]
