"""The fields that may hold a secret, in one table, and functions that withhold their values.

The table covers the values of Secrets; the start-up data of a virtual machine (cloud-init, Ignition, Windows
answer files) and its access credentials, because they contain passwords; the keys of launch security; the
copies of whole objects that kubectl keeps; and what SOPS has encrypted. Every output uses the table: compared
fields (``masked_value``), quoted lines of a file (``findings.public_lines``), text that is printed unchanged
(``emit.redact``), and the text of findings (``findings.masking``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import RenameField, edited_place
from renderer.model.fix import Fix
from renderer.model.kube.encryption import SOPS, is_ciphertext
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.masking import MASK, NOTHING, Masking
from renderer.model.readings import all_readings

if TYPE_CHECKING:
    from renderer.model.difference import FieldChange, Impact, ResourceChange, Value

_SECRET = "Secret"  # noqa: S105 - the kind
_CONFIG_MAP = "ConfigMap"

#: The fields of a Secret that anybody may read.
PUBLIC_FIELDS_OF_SECRETS = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
#: Fields with the values of a Secret, or with the source of one.
SECRET_GENERATOR = "secretGenerator"  # noqa: S105 - the name of a field
SECRET_DATA = ("binaryData", "data", "stringData", SECRET_GENERATOR)
#: The fields of an entry of ``secretGenerator`` that hold no value. Paths of files are public, too; but among
#: them, there may be a value by mistake.
PUBLIC_FIELDS_OF_GENERATORS = frozenset({"behavior", "env", "envs", "name", "namespace", "options", "type"})
FILES_OF_GENERATORS = "files"
#: Fields that are confidential in an object of any kind.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
#: Annotations in which tools keep copies of whole objects, or of the token of a Secret, with their sources.
COPIES = {
    LAST_APPLIED: "kubernetes staging/src/k8s.io/kubectl/pkg/util/apply.go",
    "banzaicloud.com/last-applied": "k8s-objectmatcher patch/annotation.go",
    "kapp.k14s.io/original": "kapp pkg/kapp/diff/resource_with_history.go",
    "kapp.k14s.io/original-diff": "kapp pkg/kapp/diff/resource_with_history.go",
    "kapp.k14s.io/original-diff-full": "kapp pkg/kapp/diff/resource_with_history.go",
    "objectset.rio.cattle.io/applied": "wrangler pkg/apply/desiredset_compare.go",
    "openshift.io/token-secret.value": "openshift openshift-controller-manager pkg/serviceaccounts",
}
IGNITION = "kubevirt.io/ignitiondata"
START_DATA = ("networkData", "networkDataBase64", "userData", "userDataBase64")
LAUNCH_SECURITY = ("dhCert", "session")  # of launchSecurity.sev
#: Keys of a ConfigMap for a sysprep volume (KubeVirt ``pkg/config/sysprep.go``); case is ignored.
ANSWER_FILES = ("autounattend.xml", "unattend.xml")
#: Fields that are confidential except for the names of other objects in them.
SECTIONS = ("accessCredentials", "cloudInitConfigDrive", "cloudInitNoCloud")
REFERENCES = frozenset({"networkDataSecretRef", "secretName", "secretRef", "userDataSecretRef"})

#: Keys whose values are confidential in an object of any kind.
_CONFIDENTIAL_KEYS = (*START_DATA, *LAUNCH_SECURITY, *COPIES, IGNITION)
#: Keys whose values are confidential in plain text, where the kind of the object is unknown.
CONFIDENTIAL_KEYS_OF_TEXT = (*_CONFIDENTIAL_KEYS, *ANSWER_FILES, *SECRET_DATA)

_CONFIDENTIAL = frozenset(_CONFIDENTIAL_KEYS)
_CONFIDENTIAL_IN_TEXT = frozenset(key.lower() for key in CONFIDENTIAL_KEYS_OF_TEXT)


def is_confidential_key(key: object) -> bool:
    """Return True if the value of ``key`` is confidential in a text; case is ignored."""
    return isinstance(key, str) and key.lower() in _CONFIDENTIAL_IN_TEXT


def is_path_entry(entry: str) -> bool:
    """Return True if an entry of ``files`` of a generator is surely a path, not ``password=abc``."""
    _, has_key, path = entry.partition("=")
    return not has_key or "." in path or "/" in path


def is_file_of_generator(field: FieldPath) -> bool:
    """Return True for an entry of ``files`` of a ``secretGenerator``."""
    return field.segments[:1] == (SECRET_GENERATOR,) and field.segments[2:3] == (FILES_OF_GENERATORS,)


def is_confidential(field: FieldPath, kind: str = "") -> bool:
    """Return True if the value of a field is confidential in an object of ``kind``.

    With an empty kind, return True if the field is confidential in an object of any kind.
    """
    segments = field.segments
    if segments and segments[0] == SOPS:
        return True
    if kind == _SECRET and segments and segments[0] not in PUBLIC_FIELDS_OF_SECRETS:
        return True
    if kind == _CONFIG_MAP and any(str(segment).lower() in ANSWER_FILES for segment in segments):
        return True
    if (
        segments
        and segments[0] == SECRET_GENERATOR
        and not PUBLIC_FIELDS_OF_GENERATORS.isdisjoint(segments[2:3])
    ):
        return False
    if not kind and any(map(is_confidential_key, segments)):
        return True
    return _is_confidential_anywhere(segments)


def without_secrets(change: FieldChange, kind: str, secrets: Masking = NOTHING) -> FieldChange:
    """Return the change of a field with ``NoValue.WITHHELD`` in place of each confidential value.

    ``kind`` is the kind of the object. A text that contains one of ``secrets`` is confidential in any field.
    So is the value on the other side of the change: it is most likely a value of the same Secret.
    """
    from renderer.model.difference import NoValue  # noqa: PLC0415 - few commands compare

    before = _value_without_secrets(change.before, change.field, kind, secrets)
    after = _value_without_secrets(change.after, change.field, kind, secrets)
    if NoValue.WITHHELD in (before, after):
        before, after = (each if each is NoValue.ABSENT else NoValue.WITHHELD for each in (before, after))
    return change._replace(before=before, after=after)


def without_secret_words(change: ResourceChange, secrets: Masking) -> ResourceChange:
    """Return the change of a resource with each of ``secrets`` in its reasons replaced by ``***``."""

    def masked(impact: Impact | None) -> Impact | None:
        return impact and impact._replace(reason=secrets.mask(impact.reason))

    return change._replace(
        fields=tuple(each._replace(impact=masked(each.impact)) for each in change.fields),
        impact=masked(change.impact),
        start_refusal=secrets.mask(change.start_refusal),
    )


def _value_without_secrets(value: Value, field: FieldPath, kind: str, secrets: Masking) -> Value:
    from renderer.model.difference import NoValue  # noqa: PLC0415 - as above

    if isinstance(value, NoValue | dict | list):
        return value if isinstance(value, NoValue) else masked_value(value, field, kind, secrets)
    return NoValue.WITHHELD if is_confidential(field, kind) or contains_secret(value, secrets) else value


def masked_value(value: Json, field: FieldPath, kind: str, secrets: Masking = NOTHING) -> Json:
    """Return the value of a field with every confidential part replaced by ``***``.

    Every text that contains one of ``secrets`` is confidential, in any field.
    """
    if isinstance(value, dict):
        return {key: masked_value(child, field.child(key), kind, secrets) for key, child in value.items()}
    if isinstance(value, list):
        return [masked_value(child, field.child(index), kind, secrets) for index, child in enumerate(value)]
    return MASK if is_confidential(field, kind) or contains_secret(value, secrets) else value


def contains_secret(value: Json, secrets: Masking) -> bool:
    """Return True if ``value`` is a text that contains one of ``secrets``, or ciphertext."""
    return isinstance(value, str) and (secrets.is_in(value) or is_ciphertext(value))


def secret_values(objects: Iterable[Json]) -> frozenset[str]:
    """Return the values of the Secrets among ``objects``, with their readings (``model.readings``)."""
    secrets = (each for each in objects if text_at(each, "kind") == _SECRET)
    return frozenset(all_readings(text for secret in secrets for text in _texts(secret)))


def removed_values(before: JsonObject, after: JsonObject) -> frozenset[str]:
    """Return the values that the change removes from a Secret."""
    if text_at(after, "kind") == _SECRET and all(before.get(key) is after.get(key) for key in SECRET_DATA):
        return frozenset()
    return secret_values([before]) - secret_values([after])


def is_about_secret(finding: Diagnostic) -> bool:
    """Return True if a finding may repeat a confidential value.

    Its field is confidential, or the field of one of its sites, which may be in a patch or a kustomization.
    """
    kind = finding.resource.gvk.kind if finding.resource else ""
    if kind == _SECRET and finding.field is not None and not is_confidential(finding.field, kind):
        return any(is_confidential(site.field) for site in finding.sites)
    fields = [finding.field, *(site.field for site in finding.sites)]
    return any(
        field is not None and (is_confidential(field, kind) or is_confidential(field)) for field in fields
    )


def may_repeat_secret(fix: Fix, finding: Diagnostic) -> bool:
    """Return True if a fix may have a confidential value in it: one that only renames fields has none."""
    if all(isinstance(edit, RenameField) for edit in fix.edits):
        return False
    kind = finding.resource.gvk.kind if finding.resource else ""
    places = [
        FieldPath(root.field.segments + edited_place(edit).segments)
        for root in fix.roots
        for edit in fix.edits
    ]
    return is_about_secret(finding) or any(is_confidential(at, kind) or is_confidential(at) for at in places)


def _is_confidential_anywhere(segments: tuple[Segment, ...]) -> bool:
    for position, segment in enumerate(segments):
        if segment in _CONFIDENTIAL:
            return True
        if segment in SECTIONS:
            return REFERENCES.isdisjoint(segments[position:])
    return False


def _texts(secret: Json) -> Iterator[str]:
    for section in SECRET_DATA:
        for value in object_at(secret, section).values():
            if not isinstance(value, dict | list | None):
                yield scalar_text(value)
