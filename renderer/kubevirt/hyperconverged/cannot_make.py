"""Why the operator cannot make an object of a HyperConverged object that the API server accepts."""

from __future__ import annotations

from renderer.model.text_enum import TextEnum


class Reason(TextEnum):
    """What is wrong with an annotation, or with the spec."""

    BESIDE_HIGH_BURST = "besideHighBurst"
    NOT_A_SPEC_FIELD = "notSpec"
    PATH = "path"
    RATES = "rates"
    RESULT = "result"
    SPEC = "spec"
    SYNTAX = "syntax"


class CannotMakeError(Exception):
    """The operator reports an error about ``annotation``, or about the spec if it is empty."""

    def __init__(self, annotation: str, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.annotation = annotation
        self.reason = reason
