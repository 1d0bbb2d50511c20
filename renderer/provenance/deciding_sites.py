"""The place that decided the value of a field, if that is not the file or patch that contains the field.

A transformer of a kustomization writes namespaces, names, labels, images and the values of replacements. A
strategic merge patch keeps the quotes of the value that it changes, as kustomize does. To find the place, the
overlay is composed again with a trace; only findings that one of these may have caused pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from renderer.kubevirt.facts.confidential.fields import is_confidential
from renderer.kustomize.compose import BuildOptions, Composer
from renderer.kustomize.generators import GeneratorTable
from renderer.kustomize.transform import BuiltinTransform
from renderer.kustomize.values import is_bare_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.difference import NoValue, Value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.provenance import StepKind
from renderer.model.record import Record
from renderer.model.run.work import allowed, spent
from renderer.model.source_tree import KustomizationRoot, SourceTree
from renderer.provenance.histories import FieldVersion, field_changes
from renderer.provenance.makers import CompositionStep, replacement_source
from renderer.provenance.trace import Trace

#: Characters that are always valid in a name; a prefix or suffix of only these is not the cause of an error.
_HARMLESS = re.compile(r"[a-z0-9-]*")
_AFFIXES = ("PrefixTransformer", "SuffixTransformer")
_LABEL_FIELDS = frozenset({"labels", "matchLabels", "selector"})


class _Writers(Record):
    """What the kustomizations of an overlay write into resources, apart from patches."""

    any_field: bool
    last_names: frozenset[str]
    names_on_path: frozenset[str]

    @property
    def write_anything(self) -> bool:
        return self.any_field or bool(self.last_names or self.names_on_path)

    def may_write(self, field: FieldPath) -> bool:
        """Return True if one of them may have written the field."""
        return (
            self.any_field
            or field.segments[-1] in self.last_names
            or not self.names_on_path.isdisjoint(field.segments)
        )


def _is_affected(finding: Diagnostic, writers: _Writers) -> bool:
    """Return True if a kustomization may have written the field that the finding is about."""
    field = finding.field
    if finding.resource is None or not finding.sites or field is None or not field.segments:
        return False
    return (finding.code is Code.SCHEMA and len(finding.sites) > 1) or writers.may_write(field)


def _writers(root: KustomizationRoot) -> _Writers:
    """Return what ``root`` and the kustomizations that it uses write."""
    seen, left = {root}, [root]
    last_names, on_path = set[str](), set[str]()
    while left:
        each = left.pop()
        written = each.kustomization
        if each.replacements:
            return _Writers(any_field=True, last_names=frozenset(), names_on_path=frozenset())
        affix = written.name_prefix or written.name_suffix
        fields = {
            "namespace": written.namespace,
            "name": affix,
            "image": written.images,
            "replicas": written.replicas,
        }
        last_names.update(name for name, value in fields.items() if value)
        if written.common_annotations:
            on_path.add("annotations")
        if written.labels or written.common_labels:
            on_path |= _LABEL_FIELDS
        new = [used for used in each.used_roots() if used not in seen]
        seen.update(new)
        left += new
    return _Writers(any_field=False, last_names=frozenset(last_names), names_on_path=frozenset(on_path))


def _at_deciding_site(finding: Diagnostic, trace: Trace, composed: ResourceSet) -> Diagnostic:
    """Return the finding with the deciding place in front; ``composed`` were traced."""
    resource = _resource_of(finding, composed)
    if resource is None:
        return finding
    field = FieldPath(finding.sites[-1].field.segments[len(resource.origin.field.segments) :])
    changes = field_changes(trace.versions(resource), field)
    if not changes or changes[-1].after is NoValue.ABSENT or isinstance(changes[-1].after, dict | list):
        return finding
    if finding.code is Code.SCHEMA and (quoted := _quoted_before(changes)):
        sites, patch = changes[quoted - 1].version.maker.sites(field), changes[-1].version.maker.sites(field)
        message = f"the patch writes {changes[-1].after} here, and the quotes stay"
        return finding._replace(sites=sites, related=(*finding.related, Related(message, patch)))
    return _at_transformer_site(finding, changes, composed)


def _resource_of(finding: Diagnostic, composed: ResourceSet) -> Resource | None:
    """Return the composed resource that the finding is about; None if several match."""
    site = finding.sites[-1]
    segments = site.field.segments
    same_file = (each for each in composed if each.origin[:2] == site[:2])  # a run may have many findings
    candidates = [
        each
        for each in same_file
        if each.origin == site._replace(field=FieldPath(segments[: len(each.origin.field.segments)]))
    ]
    if len(candidates) == 1:
        return candidates[0]
    return next((each for each in candidates if each.current_id == finding.resource), None)


def _quoted_before(changes: Sequence[FieldVersion]) -> int:
    """Return the number of changes up to the one whose quotes all later patches kept, or else 0."""
    decisive = len(changes)
    for change in reversed(changes):
        if change.version.maker.act is not StepKind.PATCHED or not _has_quotes(change.before):
            break
        decisive -= 1
    return decisive if decisive < len(changes) and _has_quotes(changes[-1].after) else 0


def _has_quotes(value: Value) -> bool:
    return isinstance(value, str) and not is_bare_text(value)


def _at_transformer_site(
    finding: Diagnostic, changes: Sequence[FieldVersion], composed: ResourceSet
) -> Diagnostic:
    for change in reversed(changes):
        maker = change.version.maker
        if not isinstance(maker, CompositionStep) or not isinstance(maker.change, BuiltinTransform):
            break
        if maker.act is StepKind.REPLACED:
            return _at_replacement_site(finding, maker, change.field, composed)
        if maker.act is StepKind.PATCHED:
            break
        root = maker.change.root.kustomization
        affixes = dict(zip(_AFFIXES, (root.name_prefix, root.name_suffix), strict=True))
        affix = affixes.get(maker.change.kind)
        if affix is None or not _HARMLESS.fullmatch(affix):
            return finding._replace(sites=(*maker.sites(change.field), *finding.sites))
    return finding


def _at_replacement_site(
    finding: Diagnostic, maker: CompositionStep, field: FieldPath, composed: ResourceSet
) -> Diagnostic:
    """Return the finding at the field that the value was copied from, followed by the replacement.

    The data comes second: from its place alone, a reader could not tell a ConfigMap from a Secret.
    """
    replacement = maker.replacement(field)
    if replacement is None:
        return finding
    target = next(target.site for target in replacement.targets or () if target.site in maker.layers)
    source = replacement_source(replacement, composed)
    if source is None:
        return finding._replace(sites=(target, *finding.sites))
    source_sites = source.resource.sites(source.field)
    if is_confidential(source.field):
        copied = Related("the value is copied from here", source_sites)
        return finding._replace(sites=(target, *finding.sites), related=(*finding.related, copied))
    written = Related("a replacement writes it here", (target,))
    return finding._replace(sites=(*source_sites, *finding.sites), related=(*finding.related, written))


def at_deciding_sites(
    findings: tuple[Diagnostic, ...],
    outline: KustomizationRoot,
    load: Callable[[], SourceTree],
    options: BuildOptions,
    generators: GeneratorTable,
) -> tuple[Diagnostic, ...]:
    """Return the findings of an overlay, with the places that decided the values of the fields in front.

    ``outline`` is the overlay's root, with or without its resource files; ``load`` returns all of it. The
    second composition must not exceed the work limit: if more than half of the work is used, nothing changes.
    """
    writers = _writers(outline)
    may_write = writers.write_anything
    affected = [
        each for each in findings if (may_write or len(each.sites) > 1) and _is_affected(each, writers)
    ]
    if not affected or 2 * spent() > allowed():
        return findings
    trace = Trace()
    composed = Composer(generators, options, trace).compose(load())
    if composed.failed:
        return findings
    changed = {id(each): _at_deciding_site(each, trace, composed.value) for each in affected}
    return tuple(changed.get(id(each), each) for each in findings)
