"""Every diagnostic code, in one reviewable place. A code is API: it may be added, never changed."""

from __future__ import annotations

from typing import Self

from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class Code(TextEnum):
    """The kind of a finding, as a word that scripts can rely on."""

    # Files that cannot be read.
    YAML_SYNTAX = "yaml-syntax"
    YAML_DUPLICATE_KEY = "yaml-duplicate-key"
    YAML_LIMIT = "yaml-limit"
    FILE_NOT_FOUND = "file-not-found"
    FILE_OUTSIDE_ROOT = "file-outside-root"
    FILE_UNREADABLE = "file-unreadable"
    KUSTOMIZATION_MISSING = "kustomization-missing"
    KUSTOMIZATION_AMBIGUOUS = "kustomization-ambiguous"
    KUSTOMIZATION_CYCLE = "kustomization-cycle"
    CONFIG_INVALID = "config-invalid"
    FUNCTION_INPUT = "function-input"
    GIT_UNAVAILABLE = "git-unavailable"
    GIT_REVISION = "git-revision"

    # Composition.
    BUILD_LIMIT = "build-limit"
    KUSTOMIZATION_FIELD = "kustomization-field"
    UNSUPPORTED_FIELD = "unsupported-field"
    IGNORED_DOCUMENT = "ignored-document"
    CLUSTER_SCOPED = "cluster-scoped"
    RESOURCE_INVALID = "resource-invalid"
    SERVER_FIELD = "server-field"
    DUPLICATE_ID = "duplicate-id"
    LIST_REPLACED = "list-replaced"
    PATCH_INVALID = "patch-invalid"
    PATCH_TARGET_MISSING = "patch-target-missing"
    NAME_AMBIGUOUS = "name-ambiguous"
    SERIES_INVALID = "series-invalid"
    TEMPLATE_INVALID = "template-invalid"
    TEMPLATE_FAILED = "template-failed"
    TEMPLATE_LIMIT = "template-limit"
    NAME_SUFFIX = "name-suffix"

    # Flux's variables.
    FLUX_KUSTOMIZATION = "flux-kustomization"
    VARIABLES_NOT_FOUND = "variables-not-found"
    VARIABLE_UNSET = "variable-unset"
    SUBSTITUTION_FAILED = "substitution-failed"

    # Entry points of Flux, Argo CD and OpenShift.
    ENTRY_POINT = "entry-point"
    ENTRY_POINT_CYCLE = "entry-point-cycle"
    ARGOCD_APPLICATION = "argocd-application"
    APPLICATION_SET = "application-set"
    OPENSHIFT_TEMPLATE = "openshift-template"
    NOT_RENDERED = "not-rendered"

    # Resolution and expansion.
    MATCHER_INVALID = "matcher-invalid"
    UNKNOWN_KIND = "unknown-kind"
    INSTANCETYPE_NOT_FOUND = "instancetype-not-found"
    PREFERENCE_NOT_FOUND = "preference-not-found"
    INFERENCE_FAILED = "inference-failed"
    REVISION_INVALID = "revision-invalid"
    REVISION_MISMATCH = "revision-mismatch"
    API_VERSION = "api-version"
    UNKNOWN_GATE = "unknown-gate"
    CONFLICT = "conflict"
    REQUIREMENT = "requirement"
    TOPOLOGY = "topology"
    CUSTOM_SIZE = "custom-size"
    QUANTITY_INVALID = "quantity-invalid"
    APPLY_FAILED = "apply-failed"
    DEFAULTS_FAILED = "defaults-failed"
    ASSUMED_NETWORK = "assumed-network"
    INPUT_DEVICE_LEFT_OUT = "input-device-left-out"
    DEPRECATED = "deprecated"

    # Validation.
    SCHEMA_MISSING = "schema-missing"
    SCHEMA_INVALID = "schema-invalid"
    SCHEMA = "schema"
    UNKNOWN_FIELD = "unknown-field"
    PLACEHOLDER = "placeholder"
    NOT_CHECKED = "not-checked"
    ADMISSION = "admission"

    # Rules: legal, and probably a mistake. Each is in model/rule_settings.py too.
    BUNDLED_NAME = "bundled-name"
    CLAIM_NOT_FOUND = "claim-not-found"
    CLOUD_INIT = "cloud-init"
    CONFIG_MAP_NOT_FOUND = "config-map-not-found"
    DATA_SOURCE_NOT_FOUND = "data-source-not-found"
    DUPLICATE_DATA_VOLUME = "duplicate-data-volume"
    DUPLICATE_MAC_ADDRESS = "duplicate-mac-address"
    HALTED_IN_SYNC_WAVES = "halted-in-sync-waves"
    HUGEPAGES_OVERCOMMIT = "hugepages-overcommit"
    HUGEPAGES_REMAINDER = "hugepages-remainder"
    IMPLAUSIBLE_SIZE = "implausible-size"
    NAME_TOO_LONG = "name-too-long"
    NETWORK_NOT_FOUND = "network-not-found"
    RUN_STRATEGY = "run-strategy"
    RUNNING_DEPRECATED = "running-deprecated"
    SECRET_NOT_FOUND = "secret-not-found"  # noqa: S105 - a code, no password
    SECURE_BOOT_WITHOUT_SMM = "secure-boot-without-smm"
    SERVICE_ACCOUNT_NOT_FOUND = "service-account-not-found"
    SERVICE_SELECTOR = "service-selector"
    SHARED_CLAIM = "shared-claim"
    SIZE_LABEL = "size-label"
    STORAGE_CLASS_DROPPED = "storage-class-dropped"
    UNUSABLE_VALUE = "unusable-value"
    UNUSED_SUPPRESSION = "unused-suppression"
    VOLUME_WITHOUT_DISK = "volume-without-disk"

    # Annotations about rules.
    SUPPRESSION_INVALID = "suppression-invalid"

    # Source files that commands edit.
    PIN_FAILED = "pin-failed"
    EDIT_REFUSED = "edit-refused"
    NOT_MIGRATED = "not-migrated"
    IMPORT_REFUSED = "import-refused"
    DUMP_INVALID = "dump-invalid"
    DUMP_MIXED = "dump-mixed"
    CREDENTIALS_WITHHELD = "credentials-withheld"
    DUMP_EXPOSED = "dump-exposed"
    FILE_EXISTS = "file-exists"
    FILE_UNLISTED = "file-unlisted"

    # The rendered tree.
    STALE = "stale"
    STALE_TREE = "stale-tree"
    PLAN_MISMATCH = "plan-mismatch"
    FOREIGN_FILE = "foreign-file"
    OUTPUT_INVALID = "output-invalid"
    OWNERSHIP_INVALID = "ownership-invalid"
    WRITE_FAILED = "write-failed"


#: Findings of these codes mean that a file could not be read, or not be written: exit code 2 instead of 1.
UNREADABLE = frozenset(
    {
        Code.YAML_SYNTAX,
        Code.YAML_DUPLICATE_KEY,
        Code.YAML_LIMIT,
        Code.FILE_NOT_FOUND,
        Code.FILE_OUTSIDE_ROOT,
        Code.FILE_UNREADABLE,
        Code.KUSTOMIZATION_MISSING,
        Code.KUSTOMIZATION_AMBIGUOUS,
        Code.KUSTOMIZATION_CYCLE,
        Code.CONFIG_INVALID,
        Code.SCHEMA_INVALID,
        Code.FUNCTION_INPUT,
        Code.GIT_UNAVAILABLE,
        Code.GIT_REVISION,
        Code.OUTPUT_INVALID,
        Code.OWNERSHIP_INVALID,
        Code.WRITE_FAILED,
        Code.PLAN_MISMATCH,
        Code.DUMP_INVALID,
    }
)


class Explanation(Record):
    """The explanation of a code; ``summary`` is a sentence, ``markdown`` the whole text, headed by it."""

    summary: str
    markdown: str

    @classmethod
    def missing(cls, code: str) -> Self:
        """Return the explanation of a code that nothing is written about."""
        return cls(code, f"# {code}\n")

    @classmethod
    def parse(cls, markdown: str) -> Self:
        """Read a text whose first line is its heading."""
        heading = markdown.partition("\n")[0]
        return cls(heading.removeprefix("#").strip().removesuffix("."), markdown)
