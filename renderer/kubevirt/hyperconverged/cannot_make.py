"""Why the operator cannot make an object of a HyperConverged object that the API server accepts."""

from __future__ import annotations

from renderer.model.text_enum import TextEnum


class CannotMakeCode(TextEnum):
    """What the operator does not accept."""

    BOOT_IMAGES = "dataImportCronTemplate"
    CRASH = "panic"
    JSON_PATCH = "jsonPatch"
    NAME_SERVER = "notIPv4"
    SPEC = "spec"
    TUNING = "tuningPolicyAnnotation"


class Reason(TextEnum):
    """What is wrong with it."""

    BESIDE_HIGH_BURST = "besideHighBurst"
    DUPLICATE = "duplicate"
    NOT_A_SPEC_FIELD = "notSpec"
    NOT_JSON = "notJson"
    PATH = "path"
    RESULT = "result"
    SYNTAX = "syntax"


class CannotMakeError(Exception):
    """The operator reports an error; ``annotation`` is the name of one that it is about."""

    def __init__(
        self, code: CannotMakeCode, message: str, reason: Reason | None = None, *, annotation: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.annotation = annotation
