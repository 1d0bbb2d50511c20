"""The KubeVirt object itself (``pkg/virt-operator/webhooks/kubevirt-update-admitter.go``).

virt-operator installs the webhook when it deploys KubeVirt, and the webhook answers each later change of the
object. A first object is admitted, and virt-operator then fails to deploy what the webhook would refuse.
KubeVirt looks at some sections only when they change; here they are checked as if all were new.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial

from renderer.golang.duration import parse_duration
from renderer.kubevirt.admission.causes import Cause, Causes, CauseType, invalid, not_supported
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.scheduling import Place, check_pod_affinity
from renderer.kubevirt.admission.vmi_spec import elements, has, number, section, text, texts
from renderer.kubevirt.facts.cluster import Cluster, read_cluster_config
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.pod_scheduling import EQUAL, EXISTS, node_selector_problems, toleration_problems
from renderer.kubevirt.facts.tls_versions import TLS_1_3
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.suggest import did_you_mean, suggest

_MOST_REPLICAS = 255
_SPEC = FieldPath.of("spec")
_CONFIGURATION = _SPEC.child("configuration")
_SELF_SIGNED = _SPEC.child("certificateRotateStrategy", "selfSigned")
_DAY = 24 * 3600 * 10**9
_INTERVALS = ("caRotateInterval", "certRotateInterval", "caOverlapInterval")
_MOST_DIGITS = 6
_DECIMAL = pattern(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_OPERATORS = (EQUAL, EXISTS)
#: Known to releases of Kubernetes in which a feature gate of its own is on.
_NEW_OPERATORS = ("Gt", "Lt")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_CURVES = ("ECDSA", "RSA")
#: The names of Go's ``crypto/tls`` CipherSuites and InsecureCipherSuites.
_CIPHERS = frozenset(
    (
        *("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"),
        *("TLS_RSA_WITH_RC4_128_SHA", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA"),
        *("TLS_RSA_WITH_AES_256_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA256"),
        *("TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_GCM_SHA384"),
        *(
            f"TLS_ECDHE_{key}_WITH_{cipher}"
            for key in _CURVES
            for cipher in (
                *("AES_128_CBC_SHA", "AES_256_CBC_SHA", "AES_128_CBC_SHA256"),
                *("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256", "RC4_128_SHA"),
            )
        ),
        "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    )
)


def _check_patches(spec: JsonObject, _: Cluster) -> Causes:
    for index, patch in enumerate(elements(section(spec, "customizeComponents"), "patches")):
        problem = _json_problem(text(patch, "patch"))
        if problem:
            at = _SPEC.child("customizeComponents", "patches", index, "patch")
            hint = 'write it as JSON, with all names and texts in double quotes: {"spec": {"replicas": 2}}'
            yield not_supported(at, f"the patch is not JSON: {problem}", hint, reported=ROOT)


def _json_problem(written: str) -> str | None:
    """Return why Go's ``json.Valid`` rejects a text; None if it is JSON. Nothing of the text is quoted."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(written, parse_constant=refuse, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        return f"{error.msg.lower()} at line {error.lineno}, column {error.colno}"
    except ValueError as error:
        return f"{error} is not a JSON value"
    except RecursionError:
        return None
    return None


def _durations(spec: JsonObject) -> Iterator[tuple[FieldPath, str]]:
    """Yield each duration that is written, with its place."""
    signed = section(section(spec, "certificateRotateStrategy"), "selfSigned")
    for name in _INTERVALS:
        if has(signed, name):
            yield _SELF_SIGNED.child(name), text(signed, name)
    for kind in ("ca", "server"):
        for name in ("duration", "renewBefore"):
            if has(section(signed, kind), name):
                yield _SELF_SIGNED.child(kind, name), text(section(signed, kind), name)
    update = section(spec, "workloadUpdateStrategy")
    if has(update, "batchEvictionInterval"):
        at = _SPEC.child("workloadUpdateStrategy", "batchEvictionInterval")
        yield at, text(update, "batchEvictionInterval")


def _check_durations(spec: JsonObject, _: Cluster) -> Causes:
    """Reject durations that Go cannot read, as it then cannot read the object."""
    for at, written in _durations(spec):
        if parse_duration(written) is None:
            cause = invalid(
                at, f"{written!r} is not a duration", "write a duration such as 48h or 1h30m", reported=ROOT
            )
            days = written.removesuffix("d")
            if written.endswith("d") and days.isdecimal() and len(days) <= _MOST_DIGITS:
                hours = f"{24 * int(days)}h"
                hint = f"write {hours}: Go has no unit for days"
                cause = cause._replace(hint=hint, fix=SetField(at, hours))
            yield cause


def _has_unreadable_durations(spec: JsonObject, cluster: Cluster) -> bool:
    return any(True for _ in _check_durations(spec, cluster))


def _check_certificates(spec: JsonObject, _: Cluster) -> Causes:
    """Check the lifetimes of certificates (``resource/apply/certificates.go``)."""
    signed = section(section(spec, "certificateRotateStrategy"), "selfSigned")
    old = [name for name in _INTERVALS if has(signed, name)]
    if old and (has(signed, "ca") or has(signed, "server")):
        message = f"{' and '.join(old)} cannot be combined with ca and server"
        hint = f"drop {'it' if len(old) == 1 else 'them'}, and write only ca and server"
        yield not_supported(_SELF_SIGNED.child(old[0]), message, hint, reported=ROOT)
    durations = dict(_durations(spec))
    ca = _Lifetime.of(durations, ("caRotateInterval",), ("ca", "duration")) or _CA_LIFETIME
    server = _Lifetime.of(durations, ("certRotateInterval",), ("server", "duration")) or _SERVER_LIFETIME
    ca_renewal = _Lifetime.of(durations, ("caOverlapInterval",), ("ca", "renewBefore"))
    server_renewal = _Lifetime.of(durations, ("server", "renewBefore"))
    for name, lifetime, renewal in (("CA", ca, ca_renewal), ("server certificate", server, server_renewal)):
        if renewal and renewal.nanoseconds > lifetime.nanoseconds:
            message = f"a {name} that is valid for {lifetime} cannot be renewed {renewal} before its end"
            yield invalid(renewal.at, message, "write less than its duration", reported=ROOT)
    if server.nanoseconds > ca.nanoseconds:
        at = server.at if server.at in durations else ca.at
        message = f"server certificates that are valid for {server} outlive their CA, valid for {ca}"
        yield invalid(at, message, "make server.duration at most ca.duration", reported=ROOT)


class _Lifetime(Record):
    """A duration of certificates, as it is written ``at`` a place, or the default."""

    at: FieldPath
    nanoseconds: int
    written: str

    def __str__(self) -> str:
        return self.written

    @classmethod
    def of(cls, durations: Mapping[FieldPath, str], *places: tuple[str, ...]) -> _Lifetime | None:
        """Return the duration at the first place that has one; deprecated places come first."""
        for place in places:
            at = _SELF_SIGNED.child(*place)
            if at in durations:
                return cls(at, parse_duration(durations[at]) or 0, durations[at])
        return None


#: The lifetimes if nothing is written (``reconcile.go`` Duration7d, Duration1d).
_CA_LIFETIME = _Lifetime(_SELF_SIGNED.child("ca", "duration"), 7 * _DAY, "168h (by default)")
_SERVER_LIFETIME = _Lifetime(_SELF_SIGNED.child("server", "duration"), _DAY, "24h (by default)")


def _check_overhead_ratio(spec: JsonObject, _: Cluster) -> Causes:
    configuration, key = section(spec, "configuration"), "additionalGuestMemoryOverheadRatio"
    written = text(configuration, key)
    if not has(configuration, key) or written.lower().lstrip("+-").startswith("0x"):
        return
    words = ("inf", "infinity", "nan")
    if _DECIMAL.fullmatch(written) is None and written.lower().lstrip("+-") not in words:
        message = f"{written!r} is not a number"
        yield not_supported(_CONFIGURATION.child(key), message, 'write a factor such as "1.2"', reported=ROOT)
    elif float(written) < 1:
        message = f"the ratio {written} is smaller than 1"
        yield not_supported(_CONFIGURATION.child(key), message, 'write a factor such as "1.2"', reported=ROOT)


def _check_tls(spec: JsonObject, _: Cluster) -> Causes:
    tls = section(section(spec, "configuration"), "tlsConfiguration")
    ciphers, at = texts(tls, "ciphers"), _CONFIGURATION.child("tlsConfiguration", "ciphers")
    if ciphers and text(tls, "minTLSVersion") in ("", TLS_1_3):
        yield not_supported(
            at,
            "ciphers cannot be chosen for TLS 1.3, which is the default of minTLSVersion",
            "drop them, or write minTLSVersion: VersionTLS12",
        )
        return
    for index, cipher in enumerate(ciphers):
        if cipher not in _CIPHERS:
            hint = did_you_mean(cipher, sorted(_CIPHERS), most=1)
            message = f"unknown cipher {cipher!r}"
            reported = _CONFIGURATION.child("tlsConfiguration", f"ciphers#{index}")
            yield not_supported(at.child(index), message, hint, reported=reported)


def _check_seccomp(spec: JsonObject, _: Cluster) -> Causes:
    seccomp = section(section(spec, "configuration"), "seccompConfiguration")
    if not has(seccomp, "virtualMachineInstanceProfile"):
        return
    profile = section(seccomp, "virtualMachineInstanceProfile")
    at = _CONFIGURATION.child("seccompConfiguration", "virtualMachineInstanceProfile", "customProfile")
    if not has(profile, "customProfile"):
        yield invalid(at, "virtualMachineInstanceProfile has no customProfile", "add one, or drop it")
        return
    custom = section(profile, "customProfile")
    if has(custom, "localhostProfile") and custom.get("runtimeDefaultProfile") is True:
        message = "localhostProfile and runtimeDefaultProfile exclude each other"
        yield invalid(at.child("localhostProfile"), message, "drop one of them")


def _check_placement(spec: JsonObject, _: Cluster, *, key: str) -> Causes:
    """Check a placement as the API server does in the pod template that the webhook creates for a trial."""
    placement, at = section(section(spec, key), "nodePlacement"), _SPEC.child(key, "nodePlacement")
    for below, message, hint in node_selector_problems(section(placement, "nodeSelector")):
        yield invalid(at.child("nodeSelector", *below), message, hint, reported=ROOT)
    yield from check_pod_affinity(Place(at.child("affinity"), ROOT), section(placement, "affinity"))
    for index, toleration in enumerate(elements(placement, "tolerations")):
        place = at.child("tolerations", index)
        operator, effect = text(toleration, "operator"), text(toleration, "effect")
        if operator and operator not in (*_OPERATORS, *_NEW_OPERATORS):
            yield _unknown_word(place.child("operator"), operator, _OPERATORS)
        if effect and effect not in _EFFECTS:
            yield _unknown_word(place.child("effect"), effect, _EFFECTS)
        for below, message, hint in toleration_problems(toleration):
            yield invalid(place.child(*below), message, hint, reported=ROOT)


def _unknown_word(at: FieldPath, word: str, known: tuple[str, ...]) -> Cause:
    near = suggest(word, known)
    hint = f"did you mean {near[0]}?" if len(near) == 1 else f"one of {', '.join(known)}"
    cause = not_supported(at, f"invalid toleration {at.segments[-1]} {word!r}", hint, reported=ROOT)
    return cause._replace(fix=SetField(at, near[0]) if len(near) == 1 else None)


def _check_replicas(spec: JsonObject, _: Cluster) -> Causes:
    """Check the replicas of the components: 0 is refused, and Go reads them as a ``uint8``."""
    infra = section(spec, "infra")
    hint = "write 1 or more, or drop it: KubeVirt then chooses the number itself"
    if not has(infra, "replicas"):
        return
    replicas, at = number(infra, "replicas"), _SPEC.child("infra", "replicas")
    if replicas == 0:
        yield invalid(at, "KubeVirt cannot run with 0 replicas of its components", hint, reported=ROOT)
    elif not 0 < replicas <= _MOST_REPLICAS:
        message = f"KubeVirt can run with 1 to {_MOST_REPLICAS} replicas of its components, not {replicas}"
        yield invalid(at, message, hint, reported=ROOT)


def _check_gates(spec: JsonObject, _: Cluster) -> Causes:
    developer = section(section(spec, "configuration"), "developerConfiguration")
    at, disabled = _CONFIGURATION.child("developerConfiguration"), texts(developer, "disabledFeatureGates")
    for index, gate in enumerate(texts(developer, "featureGates")):
        if gate in disabled:
            place = at.child("featureGates", index)
            message = f"the feature gate {gate} is in featureGates and in disabledFeatureGates"
            hint, reported = "drop it from one of the two lists", at.child("featureGates")
            yield Cause(CauseType.FORBIDDEN, place, message, hint, reported)


def _own_cluster(spec: JsonObject, cluster: Cluster) -> Cluster:
    """Return the cluster, with only the gates of this object."""
    return Cluster(cluster.release, read_cluster_config({"spec": spec}))


def _check_templates(spec: JsonObject, cluster: Cluster) -> Causes:
    deployment = section(section(spec, "configuration"), "virtTemplateDeployment")
    if deployment.get("enabled") is True and not _own_cluster(spec, cluster).has_gate(Gate.TEMPLATE):
        at = _CONFIGURATION.child("virtTemplateDeployment", "enabled")
        yield _needs_own_gate(at, "virtTemplateDeployment", Gate.TEMPLATE)


def _check_role_aggregation(spec: JsonObject, cluster: Cluster) -> Causes:
    strategy = text(section(spec, "configuration"), "roleAggregationStrategy")
    gate = Gate.OPT_OUT_ROLE_AGGREGATION
    if strategy not in ("", "AggregateToDefault") and not _own_cluster(spec, cluster).has_gate(gate):
        at = _CONFIGURATION.child("roleAggregationStrategy")
        yield _needs_own_gate(at, f"roleAggregationStrategy: {strategy}", gate)


def _check_downtime(spec: JsonObject, cluster: Cluster) -> Causes:
    migrations = section(section(spec, "configuration"), "migrations")
    gates = (Gate.MIGRATION_STALL_DETECTION, Gate.MIGRATION_DOWNTIME_TUNING)
    if has(migrations, "maxDowntimeMs") and _own_cluster(spec, cluster).gates.isdisjoint(gates):
        at = _CONFIGURATION.child("migrations", "maxDowntimeMs")
        reported = _CONFIGURATION.child("migrationConfiguration", "maxDowntimeMs")
        yield _needs_own_gate(at, "maxDowntimeMs", gates[0])._replace(reported=reported)


def _needs_own_gate(at: FieldPath, what: str, gate: Gate) -> Cause:
    hint = f"add {gate} to spec.configuration.developerConfiguration.featureGates of this object"
    return invalid(at, f"{what} needs the feature gate {gate}, which this object does not turn on", hint)


KUBEVIRT_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(
        _check_durations,
        "certificateRotateStrategy",
        "workloadUpdateStrategy",
        upstream="getAdmissionReviewKubeVirt",
        ends=_has_unreadable_durations,
    ),
    row(_check_patches, "customizeComponents", upstream="validateCustomizeComponents"),
    row(_check_certificates, "certificateRotateStrategy", upstream="validateCertificates"),
    row(
        _check_overhead_ratio,
        "configuration",
        upstream="validateGuestToRequestHeadroom",
        since="0.59",
    ),
    row(_check_templates, "configuration", upstream="validateVirtTemplateDeployment", since="1.8"),
    row(_check_role_aggregation, "configuration", upstream="validateRoleAggregationStrategy", since="1.8"),
    row(_check_downtime, "configuration", upstream="validateMigrationConfiguration", since="1.9"),
    row(_check_tls, "configuration", upstream="validateTLSConfiguration", since="0.58"),
    row(partial(_check_placement, key="infra"), "infra", upstream="validateInfraPlacement"),
    row(partial(_check_placement, key="workloads"), "workloads", upstream="validateWorkloadPlacement"),
    row(_check_seccomp, "configuration", upstream="validateSeccompConfiguration", since="0.59"),
    row(_check_replicas, "infra", upstream="validateInfraReplicas"),
    row(_check_gates, "configuration", upstream="validateFeatureGates", since="1.8"),
)
