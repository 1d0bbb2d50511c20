"""Limits for requests of KubeVirt's components: ``hcoTuning2Kv`` in ``controllers/handlers/kubevirt.go``."""

from __future__ import annotations

from renderer.golang.go_types import GoTypeError, GoTypes
from renderer.golang.json_text import read_json
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError, Reason
from renderer.kubevirt.hyperconverged.object_fields import HIGH_BURST, Setting
from renderer.kubevirt.hyperconverged.release import LATEST, OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.model.kube.json import Json, object_at

TUNING_ANNOTATION = "hco.kubevirt.io/tuningPolicy"
#: What the annotation contains (``rateLimits``).
_RATES = GoTypes.parse("rates\n  qps float\n  burst int", LATEST)
#: Requests per second and the burst of the policy.
_HIGH_BURST_LIMITS = (200, 400)
_NO_HIGH_BURST_SINCE = OperatorRelease(1, 19)


def rate_limits(settings: Settings) -> Json:
    """Return the configuration of a component with its limits; None for KubeVirt's own.

    Raises ``CannotMakeError`` if the annotation does not say the limits.
    """
    policy = settings.get(Setting.TUNING_POLICY)
    written = settings.annotation(TUNING_ANNOTATION)
    if policy == "annotation":
        return _limiter(*_annotated(written))
    if policy == HIGH_BURST and settings.release < _NO_HIGH_BURST_SINCE:
        if written is not None:
            raise _invalid("it cannot be combined with highBurst", Reason.BESIDE_HIGH_BURST)
        return _limiter(*_HIGH_BURST_LIMITS)
    return None


def _annotated(written: str | None) -> tuple[Json, Json]:
    """Return the requests per second and the burst in the annotation."""
    if written is None:
        raise _invalid("the tuning policy needs it")
    try:
        rates = object_at(_RATES.decode("rates", read_json(written)))
    except (GoTypeError, ValueError) as error:
        raise _invalid(str(error)) from None
    for name in ("qps", "burst"):
        value = rates.get(name)
        if not isinstance(value, int | float) or value <= 0:
            raise _invalid(f"it needs a positive {name}")
    return rates["qps"], rates["burst"]


def _invalid(message: str, reason: Reason | None = None) -> CannotMakeError:
    return CannotMakeError(CannotMakeCode.TUNING, message, reason, annotation=TUNING_ANNOTATION)


def _limiter(qps: Json, burst: Json) -> Json:
    return {"restClient": {"rateLimiter": {"tokenBucketRateLimiter": {"qps": qps, "burst": burst}}}}
