"""Warnings about matchers: placeholders, empty matchers, and revisions that contain another object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote

from renderer.kubevirt.facts.applied_null import APPLIED_NULL
from renderer.kubevirt.facts.kinds import MATCHER_TYPES, MatcherType
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.find import missing_revision, revision_field
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.kubevirt.instancetype.resolve import Matchers, ResolvedMatchers
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.kube.json import object_at, text_at
from renderer.model.placeholders import placeholder_in
from renderer.model.plural import plural


def unresolved_matchers(vm: VirtualMachine) -> Iterator[Diagnostic]:
    """Warn about each text with a placeholder in the matchers of ``vm``."""
    for matcher_type in MATCHER_TYPES:
        for key, value in object_at(vm.spec, matcher_type.key).items():
            placeholder = placeholder_in(value)
            if placeholder:
                at = vm.field(matcher_type.path.child(key))
                message = f"{at} contains the placeholder {placeholder}, so that the VM is not expanded"
                yield Diagnostic.about(vm.resource, at, Code.PLACEHOLDER, message, severity=Severity.WARNING)


def empty_matchers(vm: VirtualMachine) -> Iterator[Diagnostic]:
    """Warn about each matcher of ``vm`` that is null: no schema sees it once the VM is expanded."""
    for matcher_type in MATCHER_TYPES:
        if matcher_type.key in vm.spec and vm.spec[matcher_type.key] is None:
            at = vm.field(matcher_type.path)
            hint = f"set {at}.name, or remove {at}; {APPLIED_NULL}"
            yield Diagnostic.about(
                vm.resource, at, Code.SCHEMA, f"{at} is empty", hint, severity=Severity.WARNING
            )


def default_of_boot_image(
    matcher_type: MatcherType, matcher: Matcher, vms: Sequence[VirtualMachine]
) -> Diagnostic:
    """Say where the label comes from that ``vms`` infer ``matcher`` from, as it is in no file."""
    first, others = vms[0].resource.name, len(vms) - 1
    names = f"{first} and {plural(others, 'other VM')} infer" if others > 1 else f"{first} infers"
    names = f"{first} and another VM infer" if others == 1 else names
    return Diagnostic.about(
        vms[0].resource,
        vms[0].field(matcher_type.path.child("inferFromVolume")),
        Code.BOOT_IMAGE_DEFAULTS,
        f"{names} {matcher_type.noun} {matcher.name}: the default of DataSource {matcher.boot_image}",
        f"if it has another label in the cluster, set {matcher_type.path}.name instead of inferFromVolume",
        severity=Severity.INFO,
        related=() if matcher.label is None else (matcher.label,),
    )


def mismatches(vm: VirtualMachine, matchers: Matchers, selected: ResolvedMatchers) -> Iterator[Diagnostic]:
    """Warn about each matcher whose name has no effect because its revision contains another object.

    KubeVirt uses the revision, but rejects a change that brings a VirtualMachine into this state
    (``pkg/instancetype/webhooks/vm``, #9132).
    """
    pairs = ((matchers.instancetype, selected.instancetype), (matchers.preference, selected.preference))
    for matcher, found in pairs:
        if matcher is not None and found is not None and found.is_revision:
            stored = text_at(found.resource.content, "data", "metadata", "name")
            if stored and stored != matcher.name:
                noun, name = found.matcher_type.noun, vm.field(found.matcher_type.path.child("name"))
                yield Diagnostic.about(
                    vm.resource,
                    name,
                    Code.REVISION_MISMATCH,
                    f"{noun} {matcher.name} has no effect: its revision contains {stored}",
                    "pin it anew (vmrender pin --update), or remove revisionName",
                    severity=Severity.WARNING,
                    related=(
                        Related(f"the revision: {found.resource.name}", found.resource.sites(found.field)),
                    ),
                )


def missing_revisions(
    vm: VirtualMachine, matchers: Matchers, scope: Scope, behaviour: Behaviour
) -> Iterator[Diagnostic]:
    """Warn about each revision that a VirtualMachine from a cluster names but that was not read with it."""
    for matcher, matcher_type in zip(
        (matchers.instancetype, matchers.preference), MATCHER_TYPES, strict=True
    ):
        if matcher is None:
            continue
        name = missing_revision(matcher, matcher_type, vm.status, scope, behaviour)
        if name:
            at = vm.field(revision_field(matcher, matcher_type))
            noun = matcher_type.noun
            namespace = f" -n {quote(vm.resource.namespace)}" if vm.resource.namespace else ""
            revision = f"kubectl get {quote(f'controllerrevision/{name}')}{namespace} -o yaml"
            yield Diagnostic.about(
                vm.resource,
                at,
                Code.REVISION_INVALID,
                f"the cluster keeps {noun} {matcher.name} in ControllerRevision {name}, which was not read;"
                f" the VM is expanded with the {noun} of the catalog, which may differ",
                f"pass the revision with the VM: {revision}",
                severity=Severity.WARNING,
            )
