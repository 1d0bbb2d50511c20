from __future__ import annotations

from time import process_time

import pytest

from renderer.findings.public_lines import public_lines
from renderer.model.run.limits import lowered

HIDDEN_OBJECT = """\
apiVersion: v1
kind: Secret
metadata: {name: a}
stringData:
  password: hunter2
"""
VM = """\
kind: VirtualMachine
spec:
  runstrategy: Always
  volumes:
  - name: init
    cloudInitNoCloud:
      userData: |-
        #cloud-config

        password: hunter2
      networkData: hunter2
  - name: root
    containerDisk: {image: x}
"""
VM_LINES_WITHOUT_USER_DATA = {1, 2, 3, 4, 5, 6, 12, 13}


def shown(text: str) -> set[int]:
    return set(public_lines(text.encode(), range(1, text.count("\n") + 1)))


def test_public_line_is_shown_as_written() -> None:
    assert public_lines(b"a: 1\r\nb: 2\r\n---\nc: 3\n", [2, 3, 4, 9]) == {2: "b: 2", 3: "---", 4: "c: 3"}


def test_values_of_a_secret_are_hidden_and_its_neighbours_are_shown() -> None:
    text = f"kind: ConfigMap\n---\n{HIDDEN_OBJECT}---\nkind: Service\n"
    assert shown(text) == {1, 2, 3, 4, 5, 8, 9}


@pytest.mark.parametrize(
    "kind",
    [
        "kind: Secret",
        'kind: "Secret"',
        "kind:   Secret # it is",
        '"kind": "Secret"',
        "kind: SecretList",
        r'kind: "Se\u0063ret"',
        "kind: &kind Secret",
        "{kind: Secret}: x",
        "patch: |-\n  kind: Secret",
        "target: {kind: Secret}",
    ],
)
def test_secret_in_any_spelling_is_hidden(kind: str) -> None:
    assert kind.count("\n") + 2 not in shown(f"{kind}\nvalue: hunter2\n")


@pytest.mark.parametrize(
    "text",
    [
        "metadata: {annotations: {a: &p hunter2}}\nkind: Secret\nstringData: {password: *p}\n",
        "kind: Secret\nstringData: {password: x\n,b: hunter2}\n",
        "{kind: Secret, metadata: {name: a}, stringData: {password: hunter2}}\n",
        "kind: Secret\nstringDta:\n  password: hunter2\n",
        "kind: Secret\n? metadata\n: &a {name: x}\n? stringData\n: {password: hunter2}\n",
        "secretGenerator: [{name: a, literals: [password=hunter2]}]\n",
        "secretGenerator: [{name: a, literal: [password=hunter2]}]\n",
        "secretGenerator: [{name: a, files: [password=hunter2]}]\n",
        "secretGenerator:\n- [password=hunter2]\n",
        "secretGenerator: hunter2\n",
        "x: &p password=hunter2\nsecretGenerator:\n- name: a\n  literals: [*p]\n",
        "x: &p [password=hunter2]\nsecretGenerator:\n- name: a\n  literals: *p\n",
        "x: &g {name: a, literals: [password=hunter2]}\nsecretGenerator:\n- *g\n",
        "x: &g {literals: [password=hunter2]}\nsecretGenerator:\n- name: a\n  <<: *g\n",
        "x: &g\n- name: a\n  literals: [password=hunter2]\nsecretGenerator: *g\n",
        "x: &p hunter2\nuserData: {a: [*p]}\n",
        "x: &p password=hunter2\nsecretGenerator:\n- name: a\n  files: [*p]\n",
        "x: &p password=hunter2\nsecretGenerator:\n- name: a\n  envs: [*p]\n",
        "secretGenerator: [{name: a, env: password=hunter2}]\n",
        "secretGenerator: [{name: a, envs: [password=hunter2]}]\n",
        "secretGenerator: [{name: a, envs: {password: hunter2}}]\n",
        "secretGenerator: [{name: a, files: {password: hunter2}}]\n",
    ],
)
def test_no_value_is_shown_beside_public_fields(text: str) -> None:
    assert not any("hunter2" in line for line in public_lines(text.encode(), range(1, 9)).values())


@pytest.mark.parametrize(
    "key",
    [
        "secretGenerators",
        "secretGenarator",
        "secretsGenerator",
        "secretGenrator",
        "SecretGenerator",
        "secret-generator",
        "secret_generators",
        "sercetGenerator",
        "secretGeneratr",
        "seceretGenerator",
        "ScretGenerators",
    ],
)
def test_values_of_a_misspelt_generator_are_hidden_and_its_names_are_shown(key: str) -> None:
    assert shown(f"{key}: [{{name: s, literals: [p=hunter2]}}]\n") == set()
    assert shown(f"{key}:\n- name: s\n  files: [tls.key]\n  literals:\n  - p=hunter2\n") == {1, 2, 3}


@pytest.mark.parametrize(
    "key",
    [
        "stringDta",
        "strngData",
        "stringDataa",
        "string_data",
        "binaryDta",
        "dta",
        "datas",
        "userDat",
        "usrData",
        "userdata",
        "user-data",
        "uesrData",
        "UserDate",
        "networkDta",
        "network-data",
        "userDataBase46",
        "sesion",
        "dhCrt",
        "literal",
        "litterals",
        "autounatend.xml",
        "kubectl.kubernetes.io/last-aplied-configuration",
        "example.com/last-applied",
    ],
)
def test_values_of_misspelt_keys_are_hidden(key: str) -> None:
    for text in (
        f"{key}: hunter2\n",
        f"a: {{{key}: {{password: hunter2}}}}\n",
        f"- {key}:\n  - hunter2\n",
        f"x: 1\n y: 2\n{key}: hunter2\n",
        f"patch: |-\n  a: 1\n  {key}: hunter2\n",
        f"- {{op: add, path: /spec/{key.replace('/', '~1')}/password, value: hunter2}}\n",
        f"x: &p hunter2\n{key}: [*p]\n",
        f"x: &p hunter2\n{key}: {{a: {{b: *p}}}}\n",
        f"x: &p {{q: hunter2}}\n{key}: {{<<: *p}}\n",
    ):
        assert not any("hunter2" in line for line in public_lines(text.encode(), range(1, 9)).values()), text


def test_other_fields_and_literals_of_config_maps_are_shown() -> None:
    text = "metadata: x\nversion: 1\ndate: x\ninterval: 1\nusername: x\nnetworks: x\nsecretName: x\n"
    assert shown(text) == set(range(1, 8))
    assert shown("configMapGenerator: [{name: s, literals: [a=b]}]\n") == {1}
    assert shown("configMapGenerator: [{name: s, files: [unattend.xml=answers/web.xml]}]\n") == {1}


@pytest.mark.parametrize("file", ["unattend.xml", "Autounattend.xml", " UNATTEND.XML "])
def test_answer_file_of_a_generator_is_hidden(file: str) -> None:
    for key in ("literals", "literal", "envs", "files"):
        text = f"configMapGenerator: [{{name: s, {key}: ['{file}=<Password>hunter2</Password>', 'bad']}}]\n"
        assert shown(text) == set()


def test_names_paths_and_conflict_markers_are_shown() -> None:
    assert shown("secretGenerator:\n- name: a\n  files: [tls.key]\n  literals: [a=b]\n") == {1, 2, 3}
    assert shown("kind: Secret\n<<<<<<< HEAD\ndata: {a: b}\n=======\ndata: {}\n>>>>>>> other\n") == {2, 4, 6}


def test_cloud_init_data_is_not_shown() -> None:
    assert shown(VM) == VM_LINES_WITHOUT_USER_DATA


@pytest.mark.parametrize(
    "text",
    [
        "userData: {password: hunter2}\n",
        "{a: 1, userData: hunter2, b: 2}\n",
        "cloudInit: {userData: 'x\n\n  hunter2'}\n",
        "cloudInit: {userdata: 'x\n\n  hunter2'}\n",
        "cloudInitNoCloud: {userDate: 'x\n\n  hunter2'}\n",
        "x: &init hunter2\nuserData: *init\n",
        "- {op: add, path: /spec/volumes/0/cloudInitNoCloud/userData, value: hunter2}\n",
        "- op: replace\n  value: hunter2\n  path: /data/password\n",
        "secretGenerator:\n- literals:\n  - password=hunter2\n",
        "patches:\n- patch: |\n    data:\n      password: hunter2\n",
        "annotations:\n  kubectl.kubernetes.io/last-applied-configuration: |\n    hunter2\n",
    ],
)
def test_a_value_below_a_confidential_key_is_not_shown(text: str) -> None:
    lines = public_lines(text.encode(), range(1, 9))
    assert not any("hunter2" in line for line in lines.values())


@pytest.mark.parametrize("text", [HIDDEN_OBJECT, VM])
def test_broken_text_hides_confidential_lines(text: str) -> None:
    for broken in (f"{text}a: [", f"a: }}\n{text}", text.replace("  ", " \t", 3)):
        assert not any("hunter2" in line for line in public_lines(broken.encode(), range(1, 20)).values())


def test_broken_text_without_confidential_keys_is_shown() -> None:
    assert public_lines(b"a: 1\nb: [\n", [2]) == {2: "b: ["}


def test_binary_content_is_not_shown() -> None:
    assert public_lines(b"\xff\xfe", [1]) == {}


@pytest.mark.parametrize(
    "text",
    [
        "spec:\n  a: 1\n b: 2\n  userData: hunter2\n",
        "spec: [\n- -userData:hunter2\n",
        "a: 1\n b: 2\n  cloudInitNoCloud:\n   userDate: hunter2\n",
        "x: &init hunter2\n y: 1\nuserData: *init\n",
        "x: &init\n  userdata_: hunter2\n y: 1\ncloudInitNoCloud:\n  <<: *init\n",
        "- op: add\n  value: hunter2\n path: 1\n  path: /spec/volumes/0/cloudInitNoCloud/userData\n",
        "a: 1\n b: 2\nvalue: hunter2\nkind: Secret\n",
    ],
)
def test_possibly_confidential_lines_of_a_broken_text_are_hidden(text: str) -> None:
    assert not any("hunter2" in line for line in public_lines(text.encode(), range(1, 9)).values())


def test_broken_text_shows_lines_above_the_confidential_part() -> None:
    text = b"spec:\n  a: 1\n b: 2\n  userData: |\n    hunter2\n  c: 1\n"
    assert public_lines(text, range(1, 7)) == {1: "spec:", 2: "  a: 1", 3: " b: 2"}


@pytest.mark.parametrize(
    "kind",
    [
        "kind: Template",
        "kind: template",
        "kind: Tempate",
        "knd: Template",
        "kind Template",
        "kind: VirtualMachineTemplate",
        "kind: ResourceSet",
        "kind: ResourceSetInputProvider",
        "kind: ApplicationsSet",
    ],
)
@pytest.mark.parametrize(
    "spec",
    [
        "spec:\n  template: t.j2\n    code: hunter2\n",
        "spec:\n  template: t.j2\n  list:\n  - code: hunter2\n   site: one\n",
        "spec: {template: t.j2,\n  code: hunter2\n",
    ],
)
def test_malformed_object_with_values_for_others_shows_only_its_name(kind: str, spec: str) -> None:
    text = f"apiVersion: a/v1\n{kind}\nmetadata:\n  name: x\n{spec}"
    assert not any("hunter2" in line for line in public_lines(text.encode(), range(1, 20)).values())
    assert "hunter2" not in str(public_lines(f"{spec}{kind}\n".encode(), range(1, 20)))


def test_malformed_template_shows_its_name() -> None:
    text = "apiVersion: a/v1\nkind: Template\nmetadata:\n  name: x\nspec:\n  template: a\n    b: 1\n"
    assert shown(text) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("line_break", ["\u2028", "\u2029", "\x85", "\r"])
@pytest.mark.parametrize("first", ["a: 1 # x{}", 'a: "x{}y"', "a: |\n  x{}  y"])
def test_other_line_breaks_do_not_shift_hidden_lines(line_break: str, first: str) -> None:
    text = f"{first.format(line_break)}\nb: 1\nuserData: hunter2\nc: 1\n"
    assert "hunter2" not in "".join(public_lines(text.encode(), range(1, 9)).values())


def test_confidential_document_with_other_line_breaks_is_hidden_completely() -> None:
    machine = VM.replace("Always", "Always # \u2028")
    assert shown(f"a: 1 # \u2028\n---\nb: 1\n---\n{machine}") == {1, 2, 3, 4}


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n--- {userData: hunter2}\n",
        "a: 1\n--- !x\nb: 1\nuserData: hunter2\n",
        "a: 1\r---\ruserData: hunter2\n",
        "a: 1\n...\n--- {userData: hunter2}\n",
    ],
)
def test_confidential_value_is_hidden_in_an_unseparated_document(text: str) -> None:
    assert "hunter2" not in "".join(public_lines(text.encode(), range(1, 9)).values())


@pytest.mark.parametrize(
    "text",
    [
        "{a: [[[[b]]]], userData: hunter2}\n",
        "a: [[[[b]]]]\nuserData: hunter2\n",
        "? [[[[b]]]]\n: userData: hunter2\n",
    ],
)
def test_confidential_value_is_hidden_below_too_deep_nesting(text: str) -> None:
    with lowered({"nesting": 3}):
        assert "hunter2" not in "".join(public_lines(text.encode(), range(1, 9)).values())


def test_credentials_among_the_values_of_a_chart_are_hidden() -> None:
    text = """\
kind: HelmRelease
spec:
  values:
    auth:
      password: hunter2
      user: shown
    list: [{apiKey: hunter2}]
    existingSecret_: shown
"""
    lines = public_lines(text.encode(), range(1, 9))

    assert "hunter2" not in "".join(lines.values())
    assert lines[6] == "      user: shown"


@pytest.mark.parametrize(
    "text",
    [
        "spec: {password: hunter22}\n",
        "spec:\n  db_password:\n    hunter22\n",
        "spec:\n  token: |\n    hunter22\n",
        "spec:\n  token: first\n  token: hunter22\n",
        "spec: {token: hunter22, token: {valueFrom: x}}\n",
        "env: [{name: DB_PASSWORD, value: hunter22}]\n",
        "env:\n- value: hunter22\n  name: DB_PASSWORD\n",
        "env: [{name: DB_PASSWORD, value: x, value: hunter22}]\n",
        "env: [{name: DB_PASSWORD, name: x, value: y, value: hunter22}]\n",
        "args: [serve, --password, hunter22]\n",
        "run: [vault, login, hunter22]\n",
        "run: [vault, login, hunter22]\nx y: [\n",
        "run:\n- vault\n- login\n- hunter22\nx y: [\n",
        "args: ['--password=hunter22']\n",
        "source: {http: {url: 'https://app:hunter22@example.org/disk'}}\n",
        "image: app:hunter22@example.org/disk\n",
        "cpu: 1 # the password: hunter22\n",
        "kind: HelmRelease\nspec:\n  values:\n    auth:\n      password: hunter22\n      x y: [\n",
        "env:\n- value: hunter22\n  name: DB_PASSWORD\nx y: [\n",
        "spec: {template: a.j2, values: {login: hunter22}}\n",
        "spec: {template: a.j2, values: &v hunter22, matrix: *v}\n",
        "kind: Templat\nspec: {template: a.j2, matrix: {login: [hunter22]}}\n",
        "spec: {template: a.j2, values: {login: &a hunter22, other: *b}}\n",
        "parameters: [{name: LOGIN, valu: hunter22}]\n",
    ],
)
def test_credentials_are_hidden_in_any_object(text: str) -> None:
    lines = public_lines(text.encode(), range(1, text.count("\n") + 2))
    assert not any("hunter22" in line for line in lines.values())


def test_neighbours_of_credentials_are_shown() -> None:
    assert shown("env:\n- {name: DB_PASSWORD, value: hunter22}\n- {name: SIZE, value: x}\n") == {1, 3}
    assert shown("spec:\n  runStrategy: Halted\n  runStrategy: Always\n  token: x1\n") == {1, 2, 3}
    assert shown("volumes: [{name: init, secret: {secretName: keys}}]\n") == {1}
    matrix = "spec:\n  template: a.j2\n  values: {login: x}\n  matrix: {size: [small]}\n"
    assert shown(f"apiVersion: vmrender.io/v1alpha1\nkind: Template\n{matrix}") == {1, 2, 3, 4, 6}


@pytest.mark.parametrize("text", ["data: &a {<<: *a, copy: x}\n", "kind: HelmRelease\nspec: &a [*a]\n"])
def test_document_with_an_alias_in_its_anchor_is_hidden(text: str) -> None:
    assert shown(text) == set()


def test_key_that_is_written_very_often_hides_its_document() -> None:
    assert shown("spec:\n" + "  token: hunter22\n" * 9) == set()


@pytest.mark.parametrize("unit", ["{a: ", "[", "://", "a:b@", "\\", "? "])
def test_lines_are_selected_in_time_linear_in_the_text(unit: str) -> None:
    text = f"data: {unit * (100_000 // len(unit))}"
    start = process_time()
    public_lines(text.encode(), [1])
    assert process_time() - start < 4


@pytest.mark.parametrize("field", ["substituteFrom", "valuesFrom"])
def test_reference_to_a_secret_hides_nothing(field: str) -> None:
    text = f"kind: Thing\nmetadata: {{name: &app db}}\nspec:\n  {field}:\n  - {{kind: Secret, name: keys}}\n"
    assert len(public_lines(text.encode(), range(1, 6))) == 5
    assert not public_lines(text.replace(field, "targetRefs").encode(), range(1, 6))
