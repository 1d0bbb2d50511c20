"""The levels that a project sets for rules and other warnings; ``findings.levels`` applies them."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class Level(TextEnum):
    """The levels at which findings of a code are reported."""

    OFF = "off"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class RuleSetting(Record):
    """The settings of one code; an omitted one is None and is inherited from the project."""

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


#: The rules that are off unless a project sets their level or ``--strict`` asks for them.
_ON_REQUEST = (Code.IMAGE_BY_TAG,)


class RuleSettings(Record):
    """The settings of all codes; most codes have none."""

    settings: tuple[RuleSetting, ...] = ()

    def of(self, code: Code) -> RuleSetting:
        """Return the settings of a code, all None if there are none."""
        return next((setting for setting in self.settings if setting.code == code), RuleSetting(code))

    def over(self, other: RuleSettings) -> RuleSettings:
        """Return an overlay's settings, completed by the project's."""
        codes = dict.fromkeys(setting.code for setting in (*other.settings, *self.settings))
        return RuleSettings(tuple(self.of(code).over(other.of(code)) for code in codes))

    @property
    def with_strict_option(self) -> RuleSettings:
        """The settings under ``--strict``: rules on request are on, as information, unless they are set."""
        requested = tuple(RuleSetting(code, Level.INFO) for code in _ON_REQUEST)
        return self.over(RuleSettings(requested))
