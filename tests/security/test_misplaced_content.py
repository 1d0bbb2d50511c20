"""Confidential content is withheld in the wrong place and form, too: under a misspelt key, as a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.findings.public_lines import public_lines
from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import FieldChange
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.run.taint import begin_notes, taint_masking
from renderer.yamlio.decode import decode_documents
from tests.security.test_secrets import invoked

CANARY = "canary-is-a-bird"


def thing(spec: str) -> str:
    return f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: obj}}\nspec:\n  {spec}\n"


def variable(entries: str) -> str:
    return thing(f"env:\n  - {{name: DB_PASSWORD, {entries}}}")


def volume(field: str) -> str:
    return thing(f"volumes:\n  - {field}")


def operation(path: str, value: str) -> str:
    return thing(f"""patches: ['{{"op": "add", "path": "{path}", "value": "{value}"}}']""")


KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: obj, FIELD}\n"
MADE = "{apiVersion: v1, kind: Secret, metadata: {name: k}, stringData: {p: 'VARIABLE'}}"
TEMPLATE = "kind: Template\nmetadata: {name: t}\nPARAMETERS\nobjects:\n- " + MADE.replace(
    "VARIABLE", "${LOGIN}"
)
RESOURCE_SET = "kind: ResourceSet\nmetadata: {name: s}\nspec:\n  INPUTS\n  resources:\n  - " + MADE.replace(
    "VARIABLE", "<< inputs.word >>"
)
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: obj}\ndata: DATA\n"
PATCHED = "{target: {kind: Secret}, patch: '{stringData: {a: \"{{.WORD}}\"}}'}"
SPEC_OF_APPLICATION = f"spec: {{source: {{kustomize: {{patches: [{PATCHED}]}}}}}}"
APPLICATION_SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: obj}}
spec:
  goTemplate: true
  generators: [GENERATOR]
  template: {{metadata: {{name: '{{{{.name}}}}'}}, {SPEC_OF_APPLICATION}}}
"""
ELEMENTS = f"elements: [{{name: one, word: {CANARY}}}]"
GENERATORS = {
    "an element": ("word", f"{{list: {{{ELEMENTS}}}}}"),
    "an element as a text": ("word", f"{{list: {{elementsYaml: '[{{name: one, word: {CANARY}}}]'}}}}"),
    "an element in the place of its list": ("word", f"{{list: [{{name: one, word: {CANARY}}}]}}"),
    "a field of an element beside its list": (
        "word",
        f"{{list: {{elements: [{{name: one}}], word: {CANARY}}}}}",
    ),
    "a field of an element beside its generator": ("word", f"{{list: {{elements: []}}, word: {CANARY}}}"),
    "a field of an element beside all generators": ("word", f"{{list: {{}}}}]\n  word: {CANARY}\n  x: ["),
    "an element of a matrix": ("word", f"{{matrix: {{generators: [{{list: {{{ELEMENTS}}}}}]}}}}"),
    "a value": ("values.word", f"{{git: {{directories: [{{path: '*'}}], values: {{word: {CANARY}}}}}}}"),
    "a parameter of a plugin": ("word", f"{{plugin: {{input: {{parameters: {{word: {CANARY}}}}}}}}}"),
    "an element for a template of its own": (
        "name",
        f"{{list: {{{ELEMENTS}, template: {{{SPEC_OF_APPLICATION.replace('WORD', 'word')}}}}}}}",
    ),
}
CASES = {
    "kernel arguments in a JSON patch": operation("/spec/firmware/kernelArgs", f"inst.rootpw={CANARY}"),
    "start data in a JSON patch": operation("/spec/volumes/0/cloudInitNoCloud/userData", CANARY),
    "an escaped key in a JSON patch": operation("/metadata/annotations/kubevirt.io~1ignitiondata", CANARY),
    "a variable without its name in a JSON patch": operation("/spec/containers/0/env/0/value", CANARY),
    "a JSON patch with a missing brace": thing(
        f"""patches: ['{{"op": "add", "path": "/spec/kernelArgs", "value": "inst.rootpw={CANARY}"']"""
    ),
    "headers as mappings": thing(f"extraHeaders:\n  - X-Subscription: {CANARY}"),
    "headers as one mapping": thing(f"extraHeaders:\n    X-Subscription: {CANARY}"),
    "headers with names": thing(f"extraHeaders:\n  - {{name: X-Subscription, value: {CANARY}}}"),
    **{
        f"parameters of a Template: {each}": TEMPLATE.replace("PARAMETERS", each)
        for each in (
            f"paramters: [{{name: LOGIN, value: {CANARY}}}]",
            f"parameters: {{LOGIN: {CANARY}}}",
            f"parameters: [LOGIN={CANARY}]",
        )
    },
    **{
        f"inputs of a ResourceSet: {each}": RESOURCE_SET.replace("INPUTS", each)
        for each in (f"input: [{{word: {CANARY}}}]", f"inputs: ['word={CANARY}']")
    },
    **{
        f"inputs of a ResourceSet one level too high: {each}": text
        for each, text in (
            ("a list", RESOURCE_SET.replace("spec:\n  INPUTS", f"inputs: [{{word: {CANARY}}}]\nspec:")),
            ("an input", RESOURCE_SET.replace("INPUTS", f"word: {CANARY}")),
        )
    },
    **{
        f"{name} of an ApplicationSet": APPLICATION_SET.replace("WORD", word).replace("GENERATOR", generator)
        for name, (word, generator) in GENERATORS.items()
    },
    **{
        f"a Secret without the line above its values: {field}": KEYS.replace("FIELD", field)
        for field in (f"db: {CANARY}", f"data: {{db: {CANARY}}}", f"stringData: {{db: {CANARY}}}")
    },
    "a Secret of another kind": f"kind: Thing\nmetadata: {{name: c}}\ndata: {{d: {CANARY}}}\ntype: Opaque\n",
    **{
        f"a misspelt set: {old}": RESOURCE_SET.replace("INPUTS", f"inputs: [{{word: {CANARY}}}]").replace(
            old, new
        )
        for old, new in (("ResourceSet", "Resourceset"), ("resources", "resource"))
    },
    "a value of a chart without a blank": thing(f"values:\n    db:\n      password:{CANARY}"),
    "a private key": thing(f"tls:\n    key: |\n      -----BEGIN EC PRIVATE KEY-----\n      {CANARY}"),
    "a parameter of a chart as a text": thing(f"helm: {{parameters: ['db.password={CANARY}']}}").replace(
        "Thing", "Application"
    ),
    "headers under a misspelt key": thing(f"extraHeader: ['X-Subscription: {CANARY}']"),
    "headers as lists": thing(f"extraHeaders: [[X-Subscription, {CANARY}]]"),
    "a header in place of a name": thing(f"secretExtraHeaders: ['X-Subscription: {CANARY}']"),
    "start data in place of a reference": volume(
        f"cloudInitNoCloud: {{secretRef: '#cloud-config password: {CANARY}'}}"
    ),
    "start data in place of a name": volume(
        f"cloudInitNoCloud: {{secretRef: {{name: '#cloud-config\n\n      pin: {CANARY}'}}}}"
    ),
    "an answer file in a volume": volume(f"sysprep: {{configMap: {{autounattend.xml: {CANARY}}}}}"),
    "an answer file in place of a reference": volume(f"sysprep: {{secret: '<Value>{CANARY}</Value>'}}"),
    "a misspelt field beside a name": variable(f"vaule: {CANARY}"),
    "any field beside a name": variable(f"text: {CANARY}"),
    "a list beside a name": variable(f"value: [{CANARY}]"),
    "a mapping beside a name": variable(f"value: {{a: {CANARY}}}"),
    "a number beside a name": variable(f"value: 0, text: {CANARY}"),
    "a value in place of a reference": variable(f"valueFrom: {{secretKeyRef: {CANARY}}}"),
    "a value in a reference": variable(f"valueFrom: {{secretKeyRef: {{name: a, value: {CANARY}}}}}"),
    "a misspelt password": thing(f"pasword: {CANARY}"),
    "a misspelt password of several words": thing(f"adminPasswrod: {CANARY}"),
    "a misspelt variable": thing(f"env: [{{name: DB_PASWORD, value: {CANARY}}}]"),
    "a misspelt password in an argument": thing(f"args: [--db-passowrd={CANARY}]"),
    **{
        f"an answer file in a text in the place of data: {data}": CONFIG_MAP.replace("DATA", data)
        for data in (
            f"\n  unattend.xml |\n    <u>{CANARY}</u>",
            f"\n  unattend.xml=|\n    <u>{CANARY}</u>",
            f"\n- key: unattend.xml\n  value: <u>{CANARY}</u>",
            f"|\n  <AdministratorPassword><Value>{CANARY}</Value></AdministratorPassword>",
        )
    },
    **{
        f"annotations as a text or list: {each}": thing(f"metadata:\n    annotations:\n      {each}")
        for each in (
            f'kubevirt.io/ignitiondata=\'{{"passwordHash":"{CANARY}"}}\'',
            f"- {{key: kubevirt.io/ignitiondata, value: {CANARY}}}",
        )
    },
    **{
        f"variables of Flux as a text or list: {each}": thing(f"postBuild: {{substitute: {each}}}")
        for each in (
            f"db_password={CANARY}",
            f"db_password {CANARY}",
            f"[{{name: db_password, value: {CANARY}}}]",
        )
    },
    **{
        f"inputs of a ResourceSet as a text: {each}": RESOURCE_SET.replace("INPUTS", f"inputs: {each}")
        for each in (f"'- word: {CANARY}'", f"['word {CANARY}']")
    },
    "a key after another sign than a colon": volume(f"cloudInitNoCloud=userData: 'pin {CANARY}'"),
    "a parameter of a chart beside a misspelt name": thing(
        f"helm: {{parameters: [{{nmae: db.password, value: {CANARY}}}]}}"
    ).replace("Thing", "Application"),
    "a variable beside a misspelt name": thing(f"env: [{{Name: DB_PASSWORD, value: {CANARY}}}]"),
    "a value elsewhere beside a name": thing(f"options: [{{name: db-password, valeu: [{CANARY}]}}]"),
}


@pytest.mark.parametrize("case", CASES)
def test_misplaced_content_is_withheld(case: str) -> None:
    text = CASES[case]
    (tree,) = decode_documents(text.encode(), "")
    lines = public_lines(text.encode(), range(1, text.count("\n") + 1))

    assert CANARY in text
    assert CANARY not in str(masked(tree, root_scope()))
    assert CANARY not in "\n".join(lines.values())


PUBLIC = {
    "labels of a Secret": KEYS.replace("FIELD", f"labels: {{db: {CANARY}}}, annotations: {{a: {CANARY}}}"),
    "an element that goes into no Secret": APPLICATION_SET.replace("WORD", "other").replace(
        "GENERATOR", GENERATORS["an element"][1]
    ),
    "a value of no generator": APPLICATION_SET.replace("WORD", "values.word").replace(
        "GENERATOR", f"{{git: {{files: [{{path: {CANARY}}}]}}}}"
    ),
    "names of Secrets": thing(f"secret: {CANARY}\n  secrets: [{CANARY}]"),
    "names of Secrets in a chart": thing(f"values: {{tls: {{secret: {CANARY}}}, secrets: [{CANARY}]}}"),
    "a JSON patch": operation("/spec/runStrategy", CANARY),
    "a toleration in a JSON patch": operation("/spec/tolerations/0/value", CANARY),
    "the name of a header": thing(f"extraHeaders:\n  - name: {CANARY}\n    value: a"),
    "names of Secrets with headers": thing(f"secretExtraHeaders: [{CANARY}]"),
    "references of volumes": volume(
        f"cloudInitNoCloud: {{secretRef: {{name: {CANARY}}}}}\n  - sysprep: {{configMap: {{name: {CANARY}}}}}"
    ),
    "a name that is put in later": volume(
        f"cloudInitNoCloud: {{secretRef: {{name: '${{PLACE}}-<< inputs.of >>-{CANARY}'}}}}"
    ),
    "a reference of a variable": variable(
        f"valueFrom: {{secretKeyRef: {{name: {CANARY}, key: password, optional: true}}}}"
    ),
    "a text in the place of data": CONFIG_MAP.replace("DATA", f"see {CANARY}"),
    "an ordinary entry of data": CONFIG_MAP.replace("DATA", f"{{data: 'the password of {CANARY}'}}"),
    "annotations of a chart": thing(f"values: {{annotations: 'example.com/token-file: /{CANARY}'}}"),
    "texts of inputs": RESOURCE_SET.replace("INPUTS", f"inputs: [{{note: 'a password of {CANARY}'}}]"),
    "a variable without a credential": thing(f"env: [{{name: HOST, vaule: {CANARY}}}]"),
    "fields of an object with such a name": thing(f"containers: [{{name: token, image: {CANARY}}}]"),
}


@pytest.mark.parametrize("case", PUBLIC)
def test_harmless_content_is_shown(case: str) -> None:
    text = PUBLIC[case]
    (tree,) = decode_documents(text.encode(), "")

    assert str(masked(tree, root_scope())).count(CANARY) == text.count(CANARY)


@pytest.mark.parametrize(
    "entry",
    [
        f"[{{name: DB_PASSWORD, value:{CANARY}}}]",
        f"[{{value:{CANARY}, name: DB_PASSWORD}}]",
        f"{{password {CANARY}}}",
        f"{{password={CANARY}}}",
        f"{{'userData:#cloud-config pin: {CANARY}'}}",
        f"{{\n    a: b,\n    password:{CANARY}\n  }}",
    ],
)
def test_key_that_holds_its_value_is_noted_in_each_run(entry: str) -> None:
    text = thing(f"env: {entry}")
    for _ in range(2):
        begin_notes()
        (tree,) = decode_documents(text.encode(), "")

        assert CANARY in str(tree)
        assert CANARY not in taint_masking().mask(str(tree))


def test_key_without_a_value_is_shown() -> None:
    begin_notes()
    text = f"{{emptyDir:, {CANARY}, k8s.io/{CANARY}:, 'a {CANARY}': '', \"b:{CANARY}\": null, c {CANARY}: x}}"
    (tree,) = decode_documents(text.encode(), "")

    assert taint_masking().mask(str(tree)) == str(tree)
    with pytest.raises(DiagnosticError):
        decode_documents(f"a: {{{{ range {CANARY} }}}}".encode(), "")
    assert not taint_masking()


@pytest.mark.parametrize(
    "entry",
    [
        f"paramters: {{LOGIN: {CANARY}}}",
        f"parameters: [LOGIN={CANARY}]",
        f"parameters: [{{LOGIN: {CANARY}}}]",
        f"parameters: LOGIN {CANARY}",
        f"parameters: LOGIN:{CANARY}",
        "parameters: params.yaml",
        f"LOGIN: {CANARY}",
        f"secret: {CANARY}",
    ],
)
def test_misplaced_parameters_are_withheld(
    entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = f"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n- path: t.yaml\n  {entry}\n"
    (tmp_path / "vmrender.yaml").write_text(project, "utf-8")
    (tmp_path / "params.yaml").write_text(f"LOGIN: {CANARY}\n", "utf-8")
    template = "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n"
    (tmp_path / "t.yaml").write_text(f"{template}parameters: [{{name: LOGIN}}]\nobjects: []\n", "utf-8")

    code, stdout, stderr = invoked("validate")

    assert code in (1, 2), stderr
    assert CANARY not in stdout + stderr


def test_misspelt_path_of_an_entry_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{paht: overlays/prod}]\n"
    (tmp_path / "vmrender.yaml").write_text(project, "utf-8")

    _, stdout, stderr = invoked("validate")

    assert "paht: overlays/prod" in stdout + stderr


def test_manifest_that_is_commented_out_is_withheld() -> None:
    secret = f"# kind: Secret\n# metadata: {{name: k}}\n# stringData:\n#   pin: {CANARY}\n"
    machine = f"kind: VirtualMachine\nspec:\n  # userData: |\n  #   pin: {CANARY}\n  running: true\n"
    prose = "# the Secret holds user data, see: the page\n# note: it is rotated\n"
    text = secret + machine + prose

    lines = public_lines(text.encode(), range(1, text.count("\n") + 1))

    assert CANARY not in "\n".join(lines.values())
    assert [text.split("\n")[number - 1] in lines.values() for number in (5, 9, 10, 11)] == [True] * 4


@pytest.mark.parametrize("other", [f"unattend.xml | {CANARY}", [CANARY], {"unattend.xm": CANARY}])
@pytest.mark.parametrize("is_before", [True, False])
def test_other_form_of_a_value_with_a_masked_part_is_withheld(other: Json, *, is_before: bool) -> None:
    known: Json = {"answers": {"unattend.xml": "x"}}
    before, after = (known, other) if is_before else (other, known)
    change = FieldChange(FieldPath(("spec",)), before, after)

    shown = ConfidentialFields("Thing").without_secrets(change)

    assert CANARY not in repr(shown)


def test_value_that_says_no_more_than_its_other_side_is_shown() -> None:
    arguments = "console=ttyS0 --password=x"
    change = FieldChange(FieldPath(("spec", "kernelArgs")), arguments, "console=ttyS0")

    shown = ConfidentialFields("Thing").without_secrets(change)

    assert (shown.before, shown.after) == ("console=ttyS0 --password=***", "console=ttyS0")
