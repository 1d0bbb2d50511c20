"""Every diagnostic code, in one place for review. A code is API: codes may be added, never changed."""

from __future__ import annotations

from typing import Self

from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class Trait(TextEnum):
    """The special properties of the findings of a code."""

    RULE = "rule"  # found by a check in rules/; a project can set its level
    STRICT = "strict"  # of a rule: it can also report uncertain problems
    MAY_WARN = "may warn"  # of other codes: a project can set the level of its warnings, not of its errors
    ABOUT_KEY = "about a key"  # the name of the field is wrong, regardless of its value
    REPEATS_SCHEMA = "repeats the schema"  # omitted if there is a schema error about the same value
    UNREADABLE = "unreadable"  # a file cannot be read or written: exit code 2 instead of 1
    SOURCE = "of a source"  # of those: it stops only the overlays that use it; if others go on, exit code 1


class Code(TextEnum):
    """The kind of a finding, as a word that scripts can rely on, and its special properties."""

    __slots__ = ("traits",)
    _value_: str

    # Files that cannot be read.
    YAML_SYNTAX = "yaml-syntax", Trait.UNREADABLE, Trait.SOURCE
    YAML_DUPLICATE_KEY = "yaml-duplicate-key", Trait.UNREADABLE, Trait.SOURCE
    YAML_LIMIT = "yaml-limit", Trait.UNREADABLE, Trait.SOURCE
    FILE_NOT_FOUND = "file-not-found", Trait.UNREADABLE, Trait.SOURCE
    FILE_OUTSIDE_ROOT = "file-outside-root", Trait.UNREADABLE, Trait.SOURCE
    FILE_UNREADABLE = "file-unreadable", Trait.UNREADABLE, Trait.SOURCE
    KUSTOMIZATION_MISSING = "kustomization-missing", Trait.UNREADABLE, Trait.SOURCE
    KUSTOMIZATION_AMBIGUOUS = "kustomization-ambiguous", Trait.UNREADABLE, Trait.SOURCE
    KUSTOMIZATION_CYCLE = "kustomization-cycle", Trait.UNREADABLE, Trait.SOURCE
    CONFIG_INVALID = "config-invalid", Trait.UNREADABLE
    FUNCTION_INPUT = "function-input", Trait.UNREADABLE
    GIT_UNAVAILABLE = "git-unavailable", Trait.UNREADABLE
    GIT_REVISION = "git-revision", Trait.UNREADABLE

    # Clusters.
    CLUSTER_CONFLICT = "cluster-conflict"
    CLUSTER_UNUSED = "cluster-unused", Trait.MAY_WARN
    FACTS_OUTDATED = "facts-outdated", Trait.MAY_WARN
    INSTALLED_RELEASE = "installed-release", Trait.MAY_WARN

    # Composition.
    BUILD_LIMIT = "build-limit"
    KUSTOMIZATION_FIELD = "kustomization-field", Trait.MAY_WARN
    UNSUPPORTED_FIELD = "unsupported-field", Trait.ABOUT_KEY
    IGNORED_DOCUMENT = "ignored-document", Trait.MAY_WARN
    CLUSTER_SCOPED = "cluster-scoped", Trait.MAY_WARN
    RESOURCE_INVALID = "resource-invalid", Trait.REPEATS_SCHEMA
    SERVER_FIELD = "server-field", Trait.MAY_WARN, Trait.ABOUT_KEY
    DUPLICATE_ID = "duplicate-id", Trait.MAY_WARN
    LIST_REPLACED = "list-replaced", Trait.MAY_WARN
    PATCH_INVALID = "patch-invalid", Trait.MAY_WARN
    PATCH_TARGET_MISSING = "patch-target-missing", Trait.MAY_WARN
    IMAGE_TARGET_MISSING = "image-target-missing", Trait.MAY_WARN
    NAME_AMBIGUOUS = "name-ambiguous"
    SERIES_INVALID = "series-invalid"
    TEMPLATE_INVALID = "template-invalid"
    TEMPLATE_FAILED = "template-failed"
    TEMPLATE_LIMIT = "template-limit"
    NAME_SUFFIX = "name-suffix"

    # Flux's variables.
    FLUX_KUSTOMIZATION = "flux-kustomization", Trait.MAY_WARN
    VARIABLES_NOT_FOUND = "variables-not-found", Trait.MAY_WARN
    VARIABLE_UNSET = "variable-unset", Trait.MAY_WARN
    SUBSTITUTION_FAILED = "substitution-failed"

    # Entry points of Flux, Argo CD and OpenShift.
    ENTRY_POINT = "entry-point"
    ENTRY_POINT_CYCLE = "entry-point-cycle"
    APPLIED_KUSTOMIZATION = "applied-kustomization"
    APPLIED_TWICE = "applied-twice", Trait.MAY_WARN
    DEPENDENCY_NOT_FOUND = "dependency-not-found", Trait.MAY_WARN
    POINTS_AT_SOURCES = "points-at-sources", Trait.MAY_WARN
    RENDERED_SOURCE = "rendered-source"
    TREE_LEFT_OUT = "tree-left-out", Trait.MAY_WARN
    TREE_MISSING = "tree-missing", Trait.MAY_WARN
    ARGOCD_APPLICATION = "argocd-application"
    APPLICATION_SET = "application-set", Trait.MAY_WARN
    RESOURCE_SET = "resource-set", Trait.MAY_WARN
    OPENSHIFT_TEMPLATE = "openshift-template", Trait.MAY_WARN
    VM_TEMPLATE = "vm-template", Trait.MAY_WARN
    NOT_RENDERED = "not-rendered", Trait.MAY_WARN
    NOT_CARRIED = "not-carried", Trait.MAY_WARN
    SOURCE_ASSUMED = "source-assumed", Trait.MAY_WARN

    # Resolution and expansion.
    MATCHER_INVALID = "matcher-invalid", Trait.REPEATS_SCHEMA
    UNKNOWN_KIND = "unknown-kind", Trait.MAY_WARN, Trait.REPEATS_SCHEMA
    INSTANCETYPE_NOT_FOUND = "instancetype-not-found", Trait.MAY_WARN
    PREFERENCE_NOT_FOUND = "preference-not-found", Trait.MAY_WARN
    INFERENCE_FAILED = "inference-failed"
    NOT_INFERRED = "not-inferred", Trait.MAY_WARN
    BOOT_IMAGE_DEFAULTS = "boot-image-defaults", Trait.MAY_WARN
    REVISION_INVALID = "revision-invalid", Trait.MAY_WARN
    REVISION_MISMATCH = "revision-mismatch", Trait.MAY_WARN
    API_VERSION = "api-version"
    UNKNOWN_GATE = "unknown-gate", Trait.MAY_WARN
    UNRELEASED = "unreleased", Trait.MAY_WARN
    CONFLICT = "conflict", Trait.ABOUT_KEY
    REQUIREMENT = "requirement"
    TOPOLOGY = "topology", Trait.REPEATS_SCHEMA
    CUSTOM_SIZE = "custom-size"
    QUANTITY_INVALID = "quantity-invalid", Trait.REPEATS_SCHEMA
    APPLY_FAILED = "apply-failed"
    DEFAULTS_FAILED = "defaults-failed"
    ASSUMED_NETWORK = "assumed-network", Trait.MAY_WARN
    INPUT_DEVICE_LEFT_OUT = "input-device-left-out", Trait.MAY_WARN
    DEPRECATED = "deprecated", Trait.MAY_WARN, Trait.ABOUT_KEY

    # Validation.
    SCHEMA_MISSING = "schema-missing", Trait.MAY_WARN
    SCHEMA_INVALID = "schema-invalid", Trait.UNREADABLE
    SCHEMA = "schema", Trait.MAY_WARN
    UNKNOWN_FIELD = "unknown-field", Trait.MAY_WARN, Trait.ABOUT_KEY
    PLACEHOLDER = "placeholder", Trait.MAY_WARN
    NOT_CHECKED = "not-checked", Trait.MAY_WARN
    ADMISSION = "admission"

    # Rules: legal, and probably a mistake.
    AFFINITY_SELECTOR = "affinity-selector", Trait.RULE
    BUNDLED_NAME = "bundled-name", Trait.RULE
    BINDING_MISMATCH = "binding-mismatch", Trait.RULE
    CLAIM_NOT_FOUND = "claim-not-found", Trait.RULE, Trait.STRICT
    CLONE_TOO_SMALL = "clone-too-small", Trait.RULE
    CLOUD_INIT = "cloud-init", Trait.RULE
    CONFIG_MAP_NOT_FOUND = "config-map-not-found", Trait.RULE, Trait.STRICT
    CREDENTIAL_IN_GIT = "credential-in-git", Trait.RULE, Trait.STRICT
    DATA_SOURCE_NOT_FOUND = "data-source-not-found", Trait.RULE, Trait.STRICT
    DEVICE_NOT_PERMITTED = "device-not-permitted", Trait.RULE
    DUPLICATE_DATA_VOLUME = "duplicate-data-volume", Trait.RULE
    DUPLICATE_DISK_SERIAL = "duplicate-disk-serial", Trait.RULE
    DUPLICATE_FIRMWARE_ID = "duplicate-firmware-id", Trait.RULE
    DUPLICATE_HOST_NAME = "duplicate-host-name", Trait.RULE
    DUPLICATE_MAC_ADDRESS = "duplicate-mac-address", Trait.RULE
    HALTED_IN_SYNC_WAVES = "halted-in-sync-waves", Trait.RULE
    HUGEPAGES_OVERCOMMIT = "hugepages-overcommit", Trait.RULE
    HUGEPAGES_REMAINDER = "hugepages-remainder", Trait.RULE
    IGNITION = "ignition", Trait.RULE
    IMAGE_BY_TAG = "image-by-tag", Trait.RULE
    IMPLAUSIBLE_SIZE = "implausible-size", Trait.RULE
    MISPLACED_ANNOTATION = "misplaced-annotation", Trait.RULE, Trait.ABOUT_KEY
    NAME_TOO_LONG = "name-too-long", Trait.RULE
    NETWORK_NOT_FOUND = "network-not-found", Trait.RULE, Trait.STRICT
    NOT_MIGRATABLE = "not-migratable", Trait.RULE
    OBJECT_NOT_FOUND = "object-not-found", Trait.RULE, Trait.STRICT
    OBSOLETE_HARDWARE = "obsolete-hardware", Trait.RULE
    RUN_STRATEGY = "run-strategy", Trait.RULE, Trait.STRICT
    RUNNING_DEPRECATED = "running-deprecated", Trait.RULE, Trait.ABOUT_KEY
    SECRET_NOT_FOUND = "secret-not-found", Trait.RULE, Trait.STRICT
    SECURE_BOOT_WITHOUT_SMM = "secure-boot-without-smm", Trait.RULE
    SERVICE_ACCOUNT_NOT_FOUND = "service-account-not-found", Trait.RULE, Trait.STRICT
    SERVICE_NOT_FOUND = "service-not-found", Trait.RULE, Trait.STRICT
    SERVICE_SELECTOR = "service-selector", Trait.RULE
    SHARED_CLAIM = "shared-claim", Trait.RULE
    SIZE_LABEL = "size-label", Trait.RULE
    STORAGE_CLASS_DROPPED = "storage-class-dropped", Trait.RULE
    SYSPREP = "sysprep", Trait.RULE
    UNUSABLE_SOCKETS = "unusable-sockets", Trait.RULE
    UNUSABLE_VALUE = "unusable-value", Trait.RULE
    UNUSED_SUPPRESSION = "unused-suppression", Trait.RULE, Trait.ABOUT_KEY
    VIRTUAL_MACHINE_NOT_FOUND = "virtual-machine-not-found", Trait.RULE, Trait.STRICT
    VOLUME_WITHOUT_DISK = "volume-without-disk", Trait.RULE

    # Annotations about rules.
    SUPPRESSION_INVALID = "suppression-invalid"

    # Source files that commands edit.
    PIN_FAILED = "pin-failed"
    EDIT_REFUSED = "edit-refused"
    NOT_MIGRATED = "not-migrated", Trait.MAY_WARN, Trait.ABOUT_KEY
    IMPORT_REFUSED = "import-refused"
    DUMP_INVALID = "dump-invalid", Trait.UNREADABLE
    DUMP_MIXED = "dump-mixed", Trait.MAY_WARN
    CREDENTIALS_WITHHELD = "credentials-withheld", Trait.MAY_WARN
    DUMP_EXPOSED = "dump-exposed", Trait.MAY_WARN
    FILE_EXISTS = "file-exists"

    # The rendered tree.
    STALE = "stale"
    STALE_TREE = "stale-tree", Trait.MAY_WARN
    PLAN_MISMATCH = "plan-mismatch", Trait.UNREADABLE
    FOREIGN_FILE = "foreign-file", Trait.MAY_WARN
    OUTPUT_INVALID = "output-invalid", Trait.UNREADABLE
    OWNERSHIP_INVALID = "ownership-invalid", Trait.UNREADABLE
    WRITE_FAILED = "write-failed", Trait.UNREADABLE

    def __init__(self, _text: str, *traits: Trait) -> None:
        self.traits = traits


def _codes_with(trait: Trait) -> tuple[Code, ...]:
    return tuple(sorted(code for code in Code if trait in code.traits))


RULE_CODES = _codes_with(Trait.RULE)
STRICT_RULES = _codes_with(Trait.STRICT)
WARNING_CODES = _codes_with(Trait.MAY_WARN)
UNREADABLE = frozenset(_codes_with(Trait.UNREADABLE))
SOURCE_UNREADABLE = frozenset(_codes_with(Trait.SOURCE))


class Explanation(Record):
    """The explanation of a code; ``summary`` is a sentence, ``markdown`` the whole text with its heading."""

    summary: str
    markdown: str

    @classmethod
    def missing(cls, code: str) -> Self:
        """Return the explanation of a code that has no text."""
        return cls(code, f"# {code}\n")

    @classmethod
    def parse(cls, markdown: str) -> Self:
        """Read a text whose first line is its heading."""
        heading = markdown.partition("\n")[0]
        return cls(heading.removeprefix("#").strip().removesuffix("."), markdown)
