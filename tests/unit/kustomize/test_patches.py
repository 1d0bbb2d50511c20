from __future__ import annotations

import pytest

from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.codes import Code
from renderer.model.kube.location import Site
from renderer.model.run.taint import begin_notes, tainted
from renderer.model.run.work import begin_run, spent
from tests.composing import built, errors, only_error, outcome, warnings

VM = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: %s, labels: {tier: %s}}
    spec: {running: true}
"""
VMS = VM % ("web", "front") + "    ---\n" + VM % ("db", "back")
PATCH = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: %s}
"""


def patched(patches: str, **files: str) -> dict[str, str]:
    return {"kustomization.yaml": f"resources: [vms.yaml]\npatches:\n{patches}", "vms.yaml": VMS, **files}


def running(files: dict[str, str]) -> dict[str, object]:
    """Return each machine's name and spec."""
    return {resource.name: resource.content["spec"] for resource in outcome(files).value}


def test_patch_without_target_applies_to_the_resource_with_its_id() -> None:
    files = patched("- path: p.yaml", **{"p.yaml": PATCH % "web" + "    spec: {running: false}\n"})
    assert running(files) == {"web": {"running": False}, "db": {"running": True}}


def test_a_patched_resource_remembers_the_patch() -> None:
    files = patched("- path: p.yaml", **{"p.yaml": "---\n" + PATCH % "web" + "    spec: {running: false}\n"})
    db, web = outcome(files).value
    assert web.layers == (Site("p.yaml", 0),)
    assert web.origin == Site("vms.yaml", 0)
    assert db.layers == ()


@pytest.mark.parametrize(
    ("target", "selected"),
    [
        ("{kind: VirtualMachine}", {"web", "db"}),
        ("{kind: Virtual.*, group: kubevirt.io, version: v1}", {"web", "db"}),
        ("{name: web}", {"web"}),
        ("{name: we}", set()),
        ("{name: web|db}", {"web", "db"}),
        ("{namespace: default, name: w.*}", {"web"}),
        ("{namespace: other}", set()),
        ("{labelSelector: tier=back}", {"db"}),
        ("{labelSelector: 'tier in (back, front), !missing'}", {"web", "db"}),
        ("{annotationSelector: tier=back}", set()),
        ("{}", {"web", "db"}),
    ],
)
def test_targets_are_selected(target: str, selected: set[str]) -> None:
    files = patched(
        f"- target: {target}\n  patch: |\n    kind: X\n    metadata: {{name: x}}\n    spec: {{y: 1}}\n"
    )
    assert {name for name, spec in running(files).items() if spec == {"running": True, "y": 1}} == selected


def test_target_that_selects_nothing_is_a_warning() -> None:
    files = patched(
        "- target: {kind: VirtualMachine, name: wep}\n  patch: '[]'\n- target: {name: wep}\n  path: p",
        p="- {op: remove, path: /spec}",
    )
    (warning,) = warnings(files)
    assert warning.code is Code.PATCH_TARGET_MISSING
    assert warning.sites[0].field.segments == ("patches", 1, "target")


def test_a_patch_whose_resource_is_missing_is_an_error_that_names_the_nearest() -> None:
    files = patched("- path: p.yaml", **{"p.yaml": PATCH % "wep"})
    error = only_error(files)
    assert error.code is Code.PATCH_TARGET_MISSING
    assert error.sites == (Site("p.yaml").below("metadata", "name"),)
    assert "VirtualMachine web" in (error.hint or "")


def test_name_kind_and_namespace_change_only_by_option() -> None:
    patch = (
        "  patch: |\n    kind: Other\n    metadata: {name: new, namespace: far}\n    spec: {running: false}\n"
    )
    target = "- target: {name: web}\n"
    kept = built(patched(target + patch))
    assert "name: web" in kept
    assert "Other" not in kept
    assert "far" not in kept
    changed = built(patched(target + "  options: {allowNameChange: true, allowKindChange: true}\n" + patch))
    assert "kind: Other" in changed
    assert "name: new" in changed
    assert "far" not in changed


def test_number_outside_the_float_range_is_refused() -> None:
    operation = f'[{{"op": "add", "path": "/spec/x", "value": 1{"0" * 400}}}]'
    files = patched("- {path: p.json, target: {name: web}}", **{"p.json": operation})
    assert "a number is too large" in only_error(files).message


def test_a_patch_cannot_give_two_resources_one_name() -> None:
    files = patched(
        "- target: {kind: VirtualMachine}\n  options: {allowNameChange: true}\n"
        "  patch: |\n    kind: VirtualMachine\n    metadata: {name: same}\n"
    )
    assert only_error(files).code is Code.DUPLICATE_ID


def test_delete_removes_the_resource() -> None:
    files = patched("- path: p.yaml", **{"p.yaml": PATCH % "web" + "    $patch: delete\n"})
    assert set(running(files)) == {"db"}
    everything = patched(
        "- target: {kind: VirtualMachine}\n  patch: '{kind: X, metadata: {name: x}, $patch: delete}'"
    )
    assert built(everything) == ""


def test_patch_finds_a_resource_by_its_name_in_a_base() -> None:
    files = {
        "base/kustomization.yaml": "resources: [vms.yaml]\nnamePrefix: a-\n",
        "base/vms.yaml": VMS,
        "kustomization.yaml": "resources: [base]\npatches: [{path: p.yaml}]\n",
        "p.yaml": PATCH % "web" + "    spec: {running: false}\n",
    }
    assert running(files)["a-web"] == {"running": False}


def test_several_documents_are_applied_in_turn_only_without_a_target() -> None:
    patch = PATCH % "web" + "    spec: {a: 1}\n    ---\n" + PATCH % "db" + "    spec: {a: 2}\n"
    assert running(patched("- path: p", p=patch)) == {
        "web": {"running": True, "a": 1},
        "db": {"running": True, "a": 2},
    }
    assert only_error(patched("- path: p\n  target: {name: web}", p=patch)).code is Code.PATCH_INVALID


def test_a_null_label_in_a_patch_with_a_target_is_a_text() -> None:
    patch = "  patch: |\n    kind: VirtualMachine\n    metadata: {name: web, labels: {tier: null, x: }}\n"
    assert 'tier: "null"\n    x: ""' in built(patched("- target: {name: web}\n" + patch))


def test_null_label_without_a_target_deletes() -> None:
    patch = PATCH.replace("}", ", labels: {tier: null}}") % "web"
    assert "front" not in built(patched("- path: p", p=patch))


def test_a_json_patch_needs_a_target() -> None:
    error = only_error(patched('- patch: \'[{"op": "remove", "path": "/spec"}]\''))
    assert error.code is Code.PATCH_INVALID
    assert error.sites == (Site("kustomization.yaml").below("patches", 0),)


def test_inapplicable_operation_is_named_with_its_resource() -> None:
    error = only_error(patched("- target: {name: web}\n  path: p", p="- {op: remove, path: /spec/no}"))
    assert error.sites == (Site("p").below(0, "path"),)
    assert "VirtualMachine web" in error.message
    assert "/spec/no" in error.message


def test_a_json_patch_may_add_annotations_and_they_become_texts() -> None:
    operations = "- {op: add, path: /metadata/annotations/a, value: 1000000}\n"
    assert 'a: "1e+06"' in built(patched("- target: {name: web}\n  path: p", p=operations))


def test_a_json_patch_rounds_large_integers_of_the_whole_object() -> None:
    files = {
        "kustomization.yaml": "resources: [r]\npatches: [{path: p, target: {}}]",
        "r": "kind: A\nmetadata: {name: a}\nbig: 12345678901234567890\nexact: 9007199254740993\n",
        "p": "- {op: add, path: /x, value: 1}",
    }
    assert built(files).splitlines()[:2] == ["big: 12345678901234567000", "exact: 9007199254740992"]


def test_blank_fields_are_removed_only_by_a_strategic_merge() -> None:
    resource = "kind: A\nmetadata: {name: a}\nspec:\n  blank:\n  explicit: null\n"
    plain = {"kustomization.yaml": "resources: [r]", "r": resource}
    assert built(plain).endswith("spec:\n  blank: null\n  explicit: null\n")
    patch = "resources: [r]\npatches: [{patch: '{kind: A, metadata: {name: a}, x: 1}'}]"
    assert built({**plain, "kustomization.yaml": patch}).endswith("spec:\n  explicit: null\nx: 1\n")


def test_deprecated_patch_fields_are_applied_in_kustomize_order() -> None:
    files = {
        "kustomization.yaml": """\
            resources: [vms.yaml]
            patchesStrategicMerge:
            - sm.yaml
            - |
              apiVersion: kubevirt.io/v1
              kind: VirtualMachine
              metadata: {name: db}
              spec: {order: inline}
            patchesJson6902:
            - target: {kind: VirtualMachine, name: web}
              patch: |
                - {op: add, path: /spec/order, value: json}
        """,
        "vms.yaml": VMS,
        "sm.yaml": PATCH % "web" + "    spec: {order: file}\n",
    }
    assert running(files) == {
        "web": {"running": True, "order": "json"},
        "db": {"running": True, "order": "inline"},
    }


@pytest.mark.parametrize(
    "target", ["{name: '('}", "{kind: '*'}", "{labelSelector: a in b}", "{name: '(?=x)'}"]
)
def test_malformed_selector_is_an_error(target: str) -> None:
    found = errors(patched(f"- target: {target}\n  path: p", p="- {op: remove, path: /spec}"))
    assert [error.code for error in found] == [Code.KUSTOMIZATION_FIELD]


KEYS = """\
    apiVersion: v1
    kind: Secret
    metadata: {name: keys}
    data: {first: value-one, second: value-two}
"""
PATCHED_KEYS = "resources: [s.yaml]\npatches:\n- target: {kind: Secret}\n  patch: '[%s]'\n"
REPLACE = '{"op": "replace", "path": "/data/first", "value": "%s"}'
MOVE = '{"op": "move", "from": "/data/first", "path": "%s"}'
KIND = '{"op": "replace", "path": "/kind", "value": "%s"}'


def noted(operations: str) -> set[str]:
    """Return the values that a build notes which applies the operations to ``KEYS``."""
    begin_notes()
    outcome({"kustomization.yaml": PATCHED_KEYS % operations, "s.yaml": KEYS})
    return {"value-one", "value-two", "value-new"} & tainted()


@pytest.mark.parametrize(
    ("operations", "lost"),
    [
        ([REPLACE % "value-new"], {"value-one"}),
        ([REPLACE % "value-new", REPLACE % "value-one"], {"value-new"}),
        (['{"op": "remove", "path": "/data"}'], {"value-one", "value-two"}),
        (['{"op": "replace", "path": "/data", "value": {"a": "value-two"}}'], {"value-one"}),
        ([MOVE % "/data/third"], set()),
        ([MOVE % "/metadata/annotations", KIND % "Secret"], {"value-one"}),
        ([KIND % "ConfigMap"], {"value-one", "value-two"}),
        ([KIND % "ConfigMap", MOVE % "/x", KIND % "Secret", '{"op": "remove", "path": "/x"}'], {"value-one"}),
        (['{"op": "add", "path": "/data/third", "value": "value-new"}'], set()),
    ],
)
def test_values_that_operations_take_from_a_secret_are_noted(operations: list[str], lost: set[str]) -> None:
    assert noted(", ".join(operations)) == lost


@pytest.mark.parametrize("path", ["/data/x", "/metadata/labels", "/x"])
def test_a_patch_of_a_large_secret_reads_only_what_it_changes(path: str) -> None:
    def steps(patches: int) -> int:
        values = "".join(f"      k{number}: password-{number}\n" for number in range(2000))
        secret = KEYS.replace("{first: value-one, second: value-two}\n", f"\n{values}")
        operation = f'[{{"op": "add", "path": "{path}%d", "value": "a"}}]'
        patch = f"- target: {{kind: Secret}}\n  patch: '{operation}'\n"
        begin_run()
        files = {"kustomization.yaml": "resources: [s.yaml]\npatches:\n", "s.yaml": secret}
        files["kustomization.yaml"] += "".join(patch % number for number in range(patches))
        assert not outcome(files).diagnostics
        return spent()

    assert steps(20) - steps(10) < 10 * 2000 * 3  # three walks took 24 steps for each value


def test_values_of_secrets_that_are_read_cost_steps() -> None:
    begin_run()
    values = [f"password-{number}" * 50 for number in range(100)]
    secret_values([{"kind": "Secret", "data": dict(zip(values, values, strict=True))}])
    assert spent() > sum(map(len, values)) / 4
