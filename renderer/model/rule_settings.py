"""The levels that a project sets for rules and other warnings; ``findings.levels`` applies them."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

#: The codes that are rules: what is legal, and probably a mistake. ``rules/table.py`` has a row for each.
RULE_CODES: tuple[Code, ...] = (
    Code.BUNDLED_NAME,
    Code.CLAIM_NOT_FOUND,
    Code.CLOUD_INIT,
    Code.CONFIG_MAP_NOT_FOUND,
    Code.DATA_SOURCE_NOT_FOUND,
    Code.DUPLICATE_DATA_VOLUME,
    Code.DUPLICATE_MAC_ADDRESS,
    Code.HALTED_IN_SYNC_WAVES,
    Code.HUGEPAGES_OVERCOMMIT,
    Code.HUGEPAGES_REMAINDER,
    Code.IMPLAUSIBLE_SIZE,
    Code.NAME_TOO_LONG,
    Code.NETWORK_NOT_FOUND,
    Code.RUN_STRATEGY,
    Code.RUNNING_DEPRECATED,
    Code.SECRET_NOT_FOUND,
    Code.SECURE_BOOT_WITHOUT_SMM,
    Code.SERVICE_ACCOUNT_NOT_FOUND,
    Code.SERVICE_SELECTOR,
    Code.SHARED_CLAIM,
    Code.SIZE_LABEL,
    Code.STORAGE_CLASS_DROPPED,
    Code.UNUSABLE_VALUE,
    Code.UNUSED_SUPPRESSION,
    Code.VOLUME_WITHOUT_DISK,
)

#: The rules that can look for more than what is certain.
STRICT_RULES = frozenset(
    {
        Code.CLAIM_NOT_FOUND,
        Code.CONFIG_MAP_NOT_FOUND,
        Code.DATA_SOURCE_NOT_FOUND,
        Code.NETWORK_NOT_FOUND,
        Code.SECRET_NOT_FOUND,
        Code.SERVICE_ACCOUNT_NOT_FOUND,
        Code.RUN_STRATEGY,
    }
)


#: The codes of other stages whose findings may be warnings. Where one of them is an error it stays one.
WARNING_CODES: tuple[Code, ...] = (
    Code.APPLICATION_SET,
    Code.ASSUMED_NETWORK,
    Code.CLUSTER_SCOPED,
    Code.CREDENTIALS_WITHHELD,
    Code.DEPRECATED,
    Code.DUMP_EXPOSED,
    Code.DUMP_MIXED,
    Code.DUPLICATE_ID,
    Code.FILE_UNLISTED,
    Code.FLUX_KUSTOMIZATION,
    Code.FOREIGN_FILE,
    Code.IGNORED_DOCUMENT,
    Code.INPUT_DEVICE_LEFT_OUT,
    Code.INSTANCETYPE_NOT_FOUND,
    Code.KUSTOMIZATION_FIELD,
    Code.LIST_REPLACED,
    Code.NOT_CHECKED,
    Code.NOT_MIGRATED,
    Code.NOT_RENDERED,
    Code.OPENSHIFT_TEMPLATE,
    Code.PATCH_TARGET_MISSING,
    Code.PLACEHOLDER,
    Code.PREFERENCE_NOT_FOUND,
    Code.REVISION_INVALID,
    Code.REVISION_MISMATCH,
    Code.SCHEMA,
    Code.SCHEMA_MISSING,
    Code.SERVER_FIELD,
    Code.STALE_TREE,
    Code.UNKNOWN_FIELD,
    Code.UNKNOWN_GATE,
    Code.UNKNOWN_KIND,
    Code.VARIABLE_UNSET,
    Code.VARIABLES_NOT_FOUND,
)


class Level(TextEnum):
    """Levels that findings of a code are reported at."""

    OFF = "off"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class RuleSetting(Record):
    """The settings of one code; one that is left out is None and comes from the project."""

    code: Code
    level: Level | None = None
    strict: bool | None = None

    def over(self, other: RuleSetting) -> RuleSetting:
        """Return the setting, completed by ``other``."""
        return RuleSetting(
            self.code,
            other.level if self.level is None else self.level,
            other.strict if self.strict is None else self.strict,
        )


class RuleSettings(Record):
    """The settings of all codes; most codes have none."""

    settings: tuple[RuleSetting, ...] = ()

    def of(self, code: Code) -> RuleSetting:
        """Return the settings of a code, all None where there are none."""
        return next((setting for setting in self.settings if setting.code == code), RuleSetting(code))

    def over(self, other: RuleSettings) -> RuleSettings:
        """Return an overlay's settings, completed by the project's."""
        codes = dict.fromkeys(setting.code for setting in (*other.settings, *self.settings))
        return RuleSettings(tuple(self.of(code).over(other.of(code)) for code in codes))
