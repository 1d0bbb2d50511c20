"""Rules look up what references name; they do not compare each reference with each object."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from renderer.checks.rules import (
    claimed_volumes,
    cloud_init,
    context,
    device_not_permitted,
    guest_files,
    inventory,
    not_found,
    object_not_found,
    primary_networks,
    service_not_found,
    service_selector,
    user_data,
)
from renderer.checks.rules.context import Context, Lookups
from renderer.checks.rules.judge import judge
from renderer.kubevirt.admission import data_volume_templates, disks
from renderer.kubevirt.admission.vmi_spec import VmiSpec, VmSpec
from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.guest_data import sources
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST
from renderer.model.rule_settings import RuleSettings
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run
from renderer.pipeline.template_checks import template_findings
from renderer.yamlio import marks
from renderer.yamlio.marks import MarkedFile
from tests.kubevirt_objects import resources

Count = Callable[[ModuleType, str], list[Any]]


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Count:
    """Return a function that counts the calls of a function of a module, by its first arguments."""

    def counted(module: ModuleType, name: str) -> list[Any]:
        calls: list[Any] = []
        function = getattr(module, name)

        def called(*args: Any, **named: Any) -> Any:  # noqa: ANN401 - of any function
            calls.append(args[0])
            return function(*args, **named)

        monkeypatch.setattr(module, name, called)
        return calls

    return counted


def object_(kind: str, name: str, version: str = "v1", namespace: str = "a", **fields: Json) -> JsonObject:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **fields}


def machine(
    name: str, labels: JsonObject = EMPTY, *, spec: JsonObject = EMPTY, **instance: Json
) -> JsonObject:
    template: JsonObject = {"metadata": {"labels": labels}, "spec": {"domain": {"devices": {}}, **instance}}
    fields: JsonObject = {"runStrategy": "Always", "template": template, **spec}
    return object_("VirtualMachine", name, "kubevirt.io/v1", spec=fields)


def found(code: Code, *contents: JsonObject, lookups: Lookups | None = None) -> list[Diagnostic]:
    everything = resources(*contents)
    context = Context(everything, everything, LATEST, lookups or Lookups())
    return [each for each in judge(context, (), RuleSettings()).diagnostics if each.code is code]


GATEWAY = "gateway.networking.k8s.io/v1"


def route(reference: Json, times: int = 200) -> JsonObject:
    return object_("HTTPRoute", "r", GATEWAY, spec={"rules": [{"backendRefs": [reference] * times}]})


def service(name: str, namespace: str = "a", ports: int = 1) -> JsonObject:
    spec: JsonObject = {"ports": [{"name": f"p{number}", "port": 80 + number} for number in range(ports)]}
    return object_("Service", name, namespace=namespace, spec=spec)


def test_ports_of_a_service_are_read_once(count: Count) -> None:
    listed = count(service_not_found, "_listed")
    findings = found(Code.SERVICE_NOT_FOUND, service("s", ports=300), route({"name": "s", "port": 9}))
    assert (len(findings), len(listed)) == (200, 2)
    assert str(findings[0].hint).endswith(", 99 and 280 more")
    by_name = found(Code.SERVICE_NOT_FOUND, service("s", ports=300), route({"name": "s", "port": "p299"}))
    assert not by_name


@pytest.mark.parametrize(("maker", "number"), [("frontedn", 0), ("front", 200), ("x", 200)])
def test_what_may_make_a_service_is_looked_up(count: Count, maker: str, number: int) -> None:
    read = count(service_not_found, "operator_references")
    makers = [object_("Foo", f"{maker}{end}", "x.io/v1") for end in ("", *range(50))]
    findings = found(
        Code.SERVICE_NOT_FOUND, service("frontend"), route({"name": "frontedn", "port": 80}), *makers
    )
    assert (len(findings), len(read)) == (number, 3)  # once for makers, once for ports, and the Service


def test_disks_of_one_name_are_not_compared_in_pairs(count: Count) -> None:
    made = count(disks, "invalid")
    spec = VmiSpec.of({"domain": {"devices": {"disks": [{"name": "a"}] * 50}}}, FieldPath.of("spec"))
    causes = [each.message for each in disks.check_disks(spec, Cluster(LATEST), decides=0)]
    assert causes.count("two disks are called a") == sum(range(50))
    assert len(made) == 49


def test_grants_for_one_service_are_compared_once(count: Count) -> None:
    compared = count(service_not_found, "_permits")
    grants = [object_("ReferenceGrant", f"g{number}", GATEWAY, "b", spec={}) for number in range(50)]
    reference: JsonObject = {"name": "s", "namespace": "b", "port": 80}
    assert len(found(Code.SERVICE_NOT_FOUND, service("s", "b"), route(reference), *grants)) == 200
    assert len(compared) == 50


def test_objects_of_one_name_are_looked_up_by_namespace(count: Count) -> None:
    compared = count(inventory, "may_be_in")
    services = [service("s", f"n{number}") for number in range(200)]
    assert len(found(Code.SERVICE_NOT_FOUND, *services, route({"name": "s", "port": 80}))) == 200
    assert len(compared) < 500
    compared.clear()
    anywhere = object_("Service", "s", spec={"ports": [{"port": 80}]})
    anywhere = {**anywhere, "metadata": {"name": "s"}}
    assert not found(Code.SERVICE_NOT_FOUND, *services, anywhere, route({"name": "s", "port": 80}))
    assert len(compared) < 500


def test_listeners_of_a_gateway_are_read_once(count: Count) -> None:
    looked_at = count(object_not_found, "has_placeholder")
    listeners: Json = [{"name": f"l{number}"} for number in range(300)]
    gateway = object_("Gateway", "g", GATEWAY, spec={"listeners": listeners})
    parents: Json = [{"name": "g", "sectionName": "x"}] * 200
    routes = object_("HTTPRoute", "r", GATEWAY, spec={"parentRefs": parents})
    assert len(found(Code.OBJECT_NOT_FOUND, gateway, routes)) == 200
    assert len(looked_at) == 500


def test_namespaces_are_looked_up_for_each_network(count: Count) -> None:
    read = count(primary_networks, "texts")
    selected = count(primary_networks, "selects")
    spec: JsonObject = {"topology": "Layer2", "layer2": {"role": "Primary"}}
    networks = [
        object_("UserDefinedNetwork", f"u{number}", "k8s.ovn.org/v1", f"n{number}", spec=spec)
        for number in range(50)
    ]
    namespaces = [object_("Namespace", f"n{number}") for number in range(50)]
    everything = resources(*networks, *namespaces)
    findings = [*primary_networks.unlabelled_namespaces(Context(everything, everything, LATEST))]
    assert (len(findings), len(read), len(selected)) == (50, 50, 0)


def test_devices_that_aliases_repeat_are_compared_once(count: Count) -> None:
    compared = count(device_not_permitted, "is_near_miss")
    permitted = tuple(f"example.org/device{number}" for number in range(100))
    lookups = Lookups(
        find_cluster=lambda release: Cluster(release, ClusterConfig(permitted_devices=permitted))
    )
    gpus: Json = [{"name": "g", "deviceName": "example.org/other"}] * 50
    machines = [machine(f"m{number}", domain={"devices": {"gpus": gpus}}) for number in range(5)]
    assert len(found(Code.DEVICE_NOT_PERMITTED, *machines, lookups=lookups)) == 250
    assert len(compared) == 100


def test_names_of_ports_are_read_once_for_a_service(count: Count) -> None:
    looked_at = count(service_selector, "has_placeholder")
    ports: Json = [{"name": f"p{number}", "port": number + 1} for number in range(200)]
    interfaces: Json = [{"name": "d", "masquerade": {}, "ports": ports}]
    vm = machine("m", {"app": "b"}, domain={"devices": {"interfaces": interfaces}})
    targets: Json = [{"port": number + 1, "targetPort": f"q{number}"} for number in range(200)]
    selecting = object_("Service", "s", spec={"selector": {"app": "b"}, "ports": targets})
    assert len(found(Code.SERVICE_SELECTOR, vm, selecting)) == 200
    assert len(looked_at) < 500


def test_templates_of_a_machine_are_read_once_for_all_clones(count: Count) -> None:
    read = count(claimed_volumes, "elements")

    def volume(name: str, size: str, source: JsonObject) -> JsonObject:
        storage: JsonObject = {"resources": {"requests": {"storage": size}}}
        return {"metadata": {"name": name}, "spec": {"source": source, "storage": storage}}

    templates: Json = [volume(f"t{number}", "2Gi", {"blank": {}}) for number in range(100)]
    clones: Json = [volume(f"u{number}", "1Gi", {"pvc": {"name": f"t{number}"}}) for number in range(100)]
    machines = [
        machine("m", spec={"dataVolumeTemplates": templates}),
        machine("n", spec={"dataVolumeTemplates": clones}),
    ]
    assert len(found(Code.CLONE_TOO_SMALL, *machines)) == 100
    assert len(read) == 1


def test_documents_that_findings_relate_are_parsed_once(count: Count) -> None:
    parsed = count(marks, "parse_document")
    file = MarkedFile(b"a: 1\n---\nb: 2\n---\nc: 3\n")
    for _ in range(20):
        for document in range(3):
            assert file.find(document, FieldPath.of("abc"[document])) is not None
    assert len(parsed) == 3


def test_parsing_a_long_document_again_counts_as_work() -> None:
    begin_run()
    file = MarkedFile(b"\n---\n".join(b"a: " + b"x" * 100_000 for _ in range(4)))
    with lowered({"work": 1_500_000}), pytest.raises(WorkLimitError, match="lines of findings"):
        [file.find(number % 4, FieldPath.of("a")) for number in range(40)]


def test_names_that_aliases_repeat_are_compared_once(count: Count) -> None:
    compared = count(not_found, "is_near_miss")
    services = [service(f"frontend{end}") for end in ("", "-a", "-b")]
    assert len(found(Code.SERVICE_NOT_FOUND, *services, route({"name": "frontedn", "port": 80}))) == 200
    assert len(compared) == 3


def test_findings_about_templates_are_looked_up_by_their_place() -> None:
    spec: JsonObject = {"virtualMachine": {"spec": {"runStrategy": "Always"}}}
    templates = [
        object_("VirtualMachineTemplate", f"t{number}", "template.kubevirt.io/v1beta1", spec=spec)
        for number in range(50)
    ]

    def check(machines: ResourceSet) -> Outcome[ResourceSet]:
        made = [each for each in machines if each.kind == "VirtualMachine"]
        wrong = tuple(Diagnostic.about(each, FieldPath.of("spec"), Code.SCHEMA, "wrong") for each in made)
        return Outcome(machines, wrong)

    findings = [
        each for each in template_findings(resources(*templates), LATEST, check) if each.code is Code.SCHEMA
    ]
    assert [each.resource and each.resource.name for each in findings] == [f"t{n}" for n in range(50)]


def test_uses_of_templates_are_compared_once(count: Count) -> None:
    read = count(data_volume_templates, "_name_of")
    volumes: Json = [{"name": f"v{number}", "dataVolume": {"name": f"u{number}"}} for number in range(100)]
    templates: Json = [{"metadata": {"name": f"t{n}"}, "spec": {"storage": {}}} for n in range(100)]
    content = machine("m", spec={"dataVolumeTemplates": templates}, volumes=volumes)
    vm = VmSpec.of(object_at(content, "spec"), FieldPath.of("spec"))
    assert len([*data_volume_templates.check_template_names_and_uses(vm, Cluster(LATEST))]) == 100
    assert len(read) < 500


def test_secrets_of_network_data_are_listed_once_for_all_machines(count: Count) -> None:
    read, read_for_index = count(cloud_init, "text_at"), count(context, "text_at")
    volumes: Json = [{"name": f"s{n}", "cloudInitNoCloud": {"secretRef": {"name": "s"}}} for n in range(20)]
    data: JsonObject = {"userdata": "#cloud-config\n", "networkdata": "version: 2\n"}
    secret = object_("Secret", "s", stringData=data)
    machines = [machine(f"m{number}", volumes=volumes) for number in range(10)]
    findings = found(Code.CLOUD_INIT, *machines, secret)
    assert len(findings) == 200
    assert len(read) + len(read_for_index) < 2_000


def test_data_of_a_secret_is_read_once_for_all_machines(count: Count) -> None:
    compared, read = count(guest_files, "suggest"), count(sources, "_read_entries")
    source: JsonObject = {"cloudInitNoCloud": {"secretRef": {"name": "s"}}}
    volumes: list[Json] = [{"name": f"v{number}", **source} for number in range(5)]
    volumes.append({"name": "w", "secret": {"secretName": "s"}})
    secret = object_("Secret", "s", stringData={f"usedata{number}": "admin" for number in range(50)})
    machines = [machine(f"m{number}", volumes=volumes) for number in range(10)]
    assert len(found(Code.CLOUD_INIT, *machines, secret)) == 50
    assert (len(read), len(compared)) == (1, 50)


def test_data_of_guests_counts_as_work_where_it_is_read(count: Count) -> None:
    read, content = count(user_data, "parts"), b"#cloud-config\n" + b"#" * 10_000
    begin_run()
    with lowered({"work": 1_000}), pytest.raises(WorkLimitError, match="data of guests"):
        [user_data.user_data_problems(content, f"userData of {number}") for number in range(100)]
    assert len(read) < 20


def test_each_finding_counts_as_work() -> None:
    volumes: Json = [{"name": f"v{n}", "cloudInitNoCloud": {"secretRef": {"name": "s"}}} for n in range(10)]
    secret = object_("Secret", "s", stringData={"usedata": "x"})
    begin_run()
    with lowered({"work": 4_000}), pytest.raises(WorkLimitError, match="rules"):
        found(Code.CLOUD_INIT, *(machine(f"m{number}", volumes=volumes) for number in range(20)), secret)
