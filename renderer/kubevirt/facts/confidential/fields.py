"""The fields that may hold a secret, in one table, and functions that withhold their values.

The table covers the values of Secrets; the start-up data of a virtual machine (cloud-init, Ignition, Windows
answer files) and its access credentials, because they contain passwords; the keys of launch security; the
copies of whole objects that kubectl keeps; and what SOPS has encrypted. Every output uses the table:
``parts`` walks objects for compared fields, histories and the diff of rendered files;
``findings.public_lines`` selects lines of a file, and ``findings.masking`` masks the text of findings.
"""

from __future__ import annotations

from renderer.kubevirt.facts.cloud_init import CONFIG_DRIVE, NETWORK_DATA, NO_CLOUD, USER_DATA
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.model.credential_text.names import names_credential_of
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import RenameField, edited_place
from renderer.model.fix import Fix
from renderer.model.kube.encryption import SOPS
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.pattern import pattern

#: The fields of a Secret that anybody may read.
PUBLIC_FIELDS_OF_SECRETS = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
#: The fields of a Secret whose entries are its values, and the field of a kustomization that makes Secrets.
SECTIONS_OF_SECRETS = ("data", "stringData", "binaryData")
SECRET_GENERATOR = "secretGenerator"  # noqa: S105 - the name of a field
SECRET_DATA = (*SECTIONS_OF_SECRETS, SECRET_GENERATOR)
#: The fields of an entry of ``secretGenerator`` that hold no value. Paths of files are public, too; but among
#: them, there may be a value by mistake.
PUBLIC_FIELDS_OF_GENERATORS = frozenset({"behavior", "env", "envs", "name", "namespace", "options", "type"})
FILES_OF_GENERATORS = "files"
#: The kind of the object that configures such a generator (kustomize ``api/builtins``), and its other public
#: fields.
KIND_OF_GENERATOR = "SecretGenerator"
IDENTITY = frozenset({"apiVersion", "kind", "metadata"})
#: The fields of a parameter of a Template that hold no value.
PUBLIC_FIELDS_OF_PARAMETERS = frozenset(
    {"description", "displayName", "from", "generate", "name", "required", "section"}
)
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
#: The field of a boot from the host's kernel with arguments, among which there may be passwords.
KERNEL_ARGUMENTS = "kernelArgs"
#: The field of a download with headers, each as one text.
EXTRA_HEADERS = "extraHeaders"
START_DATA = (NETWORK_DATA.plain, NETWORK_DATA.base64, USER_DATA.plain, USER_DATA.base64)
LAUNCH_SECURITY = (
    "dhCert",
    "session",
)  # of launchSecurity.sev, whose fields are (kubevirt ``schema.go``, SEV):
FIELDS_OF_SEV = frozenset({*LAUNCH_SECURITY, "attestation", "policy"})
#: Keys of a ConfigMap for a sysprep volume (KubeVirt ``pkg/config/sysprep.go``); case is ignored.
ANSWER_FILES = ("autounattend.xml", "unattend.xml")
_ANSWER_FILE = pattern(r"(?i)<unattend\b|urn:schemas-microsoft-com:unattend")
#: Fields that are confidential except for the names of other objects in them.
SECTIONS = ("accessCredentials", CONFIG_DRIVE, NO_CLOUD)
REFERENCES = frozenset({"networkDataSecretRef", "secretName", "secretRef", "userDataSecretRef"})

#: Keys whose values are confidential in an object of any kind.
CONFIDENTIAL_KEYS = (*START_DATA, *LAUNCH_SECURITY, *COPIES, IGNITION)
#: Keys whose values are confidential in plain text, where the kind of the object is unknown.
CONFIDENTIAL_KEYS_OF_TEXT = (*CONFIDENTIAL_KEYS, *ANSWER_FILES, *SECRET_DATA)

#: A path of a file with an extension that files with secrets have. A password may have a slash or a dot, too.
_PLAIN_PATH = pattern(
    r"[\w.-]+(/[\w.-]+)*\.(age|asc|cer|cfg|conf|crt|csr|enc|env|gpg|ign|ini|iso|jks|json|kdbx|key|p12|pem|pfx"
    r"|properties|ps1|pub|sh|template|toml|txt|xml|ya?ml)"
)

_REFERENCE_TO_SECRET = pattern(r"(?i)secret-?(?:key)?-?(?:ref(?:erence)?|selector)$")
_VALUES_OF_REFERENCES = frozenset({"content", "data", "literal", "plain", "plainText", "plaintext", "value"})

#: The key of an entry that says who or where: an application is often the user of its database.
_IDENTITY = pattern(
    r"(?i).*(?:account|app|bucket|cluster|database|db|domain|email|endpoint|env(?:ironment)?|host|instance"
    r"|login|name|namespace|org(?:anization)?|owner|path|prefix|project|realm|region|repository|role|server"
    r"|service|team|tenant|uri|url|user|zone)"
)
_CONFIDENTIAL = frozenset(CONFIDENTIAL_KEYS)
_CONFIDENTIAL_IN_TEXT = frozenset(key.lower() for key in CONFIDENTIAL_KEYS_OF_TEXT)


def is_confidential_key(key: object) -> bool:
    """Return True if the value of ``key`` is confidential in a text; case is ignored."""
    return isinstance(key, str) and key.lower() in _CONFIDENTIAL_IN_TEXT


def is_answer_file(text: str) -> bool:
    """Return True for the content of an answer file of Windows, whatever its key is."""
    return "<" in text and _ANSWER_FILE.search(text) is not None


def is_reference_to_secret(key: str) -> bool:
    """Return True for a field that refers to a Secret: ``secretRef``, ``passwordSecretKeyRef``."""
    return _REFERENCE_TO_SECRET.search(key) is not None


def is_value_key(key: str) -> bool:
    """Return True for a field that has, in a reference to a Secret, a value in its place by mistake."""
    return key in _VALUES_OF_REFERENCES


def is_identity(key: str) -> bool:
    """Return True for the key of an entry of a Secret that says who or where; ``PASSWORD_DB`` does not."""
    return _IDENTITY.fullmatch(key) is not None and not names_credential_of(key)


def is_path_entry(entry: str) -> bool:
    """Return True if an entry of ``files`` of a generator is surely a path, not ``password=abc``."""
    _, has_key, path = entry.partition("=")
    return not has_key or _PLAIN_PATH.fullmatch(path) is not None


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
    if kind == SECRET and segments and segments[0] not in PUBLIC_FIELDS_OF_SECRETS:
        return True
    if kind == KIND_OF_GENERATOR and not (PUBLIC_FIELDS_OF_GENERATORS | IDENTITY).issuperset(segments[:1]):
        return True
    if kind == CONFIG_MAP and any(str(segment).lower() in ANSWER_FILES for segment in segments):
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


def is_about_secret(finding: Diagnostic) -> bool:
    """Return True if a finding may repeat a confidential value.

    Its field is confidential, or the field of one of its sites, which may be in a patch or a kustomization.
    If a walk over the object has found the values of its fix public, only the kind of the object counts.
    """
    kind = finding.resource.gvk.kind if finding.resource else ""
    if kind == SECRET and finding.field is not None and not is_confidential(finding.field, kind):
        return any(is_confidential(site.field) for site in finding.sites)
    fields = [finding.field, *(site.field for site in finding.sites)]
    kinds = (kind,) if finding.fix and finding.fix.is_public else (kind, "")
    return any(is_confidential(field, each) for field in fields if field is not None for each in kinds)


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
    kinds = (kind,) if fix.is_public else (kind, "")
    return is_about_secret(finding) or any(is_confidential(at, each) for at in places for each in kinds)


def _is_confidential_anywhere(segments: tuple[Segment, ...]) -> bool:
    for position, segment in enumerate(segments):
        if segment in _CONFIDENTIAL:
            return True
        if segment in SECTIONS:
            return REFERENCES.isdisjoint(segments[position:])
    return False
