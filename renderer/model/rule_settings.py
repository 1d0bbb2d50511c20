"""What a project says about rules: which of them speak, how loudly and how strictly."""

from __future__ import annotations

from enum import StrEnum

from renderer.model.codes import Code
from renderer.model.record import Record

#: The codes that are rules: what is legal, and probably a mistake. Each has a module in ``renderer/rules/``.
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
    Code.SHARED_CLAIM,
    Code.SIZE_LABEL,
    Code.STORAGE_CLASS_DROPPED,
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


class Level(StrEnum):
    """How a rule's findings are reported, if they are."""

    OFF = "off"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class RuleSetting(Record):
    """What is said of one rule; what is left out is None and comes from further up."""

    code: Code
    level: Level | None = None
    strict: bool | None = None

    def over(self, other: RuleSetting) -> RuleSetting:
        """The setting, completed by ``other``."""
        return RuleSetting(
            self.code,
            other.level if self.level is None else self.level,
            other.strict if self.strict is None else self.strict,
        )


class RuleSettings(Record):
    """What is said of all rules; of most nothing."""

    settings: tuple[RuleSetting, ...] = ()

    def of(self, code: Code) -> RuleSetting:
        return next((setting for setting in self.settings if setting.code == code), RuleSetting(code))

    def over(self, other: RuleSettings) -> RuleSettings:
        """An overlay's settings completed by the project's."""
        codes = dict.fromkeys(setting.code for setting in (*other.settings, *self.settings))
        return RuleSettings(tuple(self.of(code).over(other.of(code)) for code in codes))
