"""The values in a text of a Secret: of a file of any syntax, and of a template."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from renderer.kubevirt.facts.confidential.fields import START_DATA
from renderer.kubevirt.facts.confidential.inner_values import constants_of_template, values_of_file
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kubevirt.facts.confidential.values_elsewhere import values_in, values_of
from renderer.model.kube.json import JsonObject
from renderer.model.run.work import begin_run, spent

VALUE = "X9-canary-is-a-bird"
FILES = {
    "JSON": json.dumps({"log": {"level": "debug"}, "n": [{"code": VALUE}]}),
    "JSON on several lines": json.dumps({"n": [{"code": VALUE}]}, indent=2),
    "YAML": f"log: debug\nn:\n- code: {VALUE}\n",
    "YAML with a variable": f"host: ${{HOST}}\ncode: {VALUE}\n",
    "TOML": f'[db]\ncode = "{VALUE}"\n',
    "INI": f"[db]\ncode={VALUE}\n",
    "properties": f"app.db.code={VALUE}\napp.db.size=5\n",
    "words": f"port 6379\ncode {VALUE}\n",
    "words with semicolons": f"listen 443;\ncode {VALUE};\n",
    "PHP": f"<?php\n$config['code'] = '{VALUE}';\n",
    "XML": f"<config>\n<code>{VALUE}</code>\n</config>\n",
    "attributes": f'<config>\n<add key="code" value="{VALUE}"/>\n</config>\n',
    "JavaScript": f"module.exports = {{\n  code: `{VALUE}`,\n}}\n",
    "a user with a password": f'user = "app:{VALUE}"\n',
    "JSON in YAML": f"config: |\n  {json.dumps({'code': VALUE})}\n",
    "JSON in base64": json.dumps({"config": b64encode(f"code: {VALUE}\n".encode()).decode()}),
}
#: What any file may have.
ORDINARY = (
    *("WARNING", "Infrastructure", "us-east-1", "eu-central-1b", "Europe/Berlin", "default/vlan100", "1.5e6"),
    *("/etc/ssl/cert1.pem", "v1.27.3-rc1+k3s1", "10.0.0.0/16", "2001:db8::1", "2048Mi", "123456", "02:00:0a"),
    *("ghcr.io/home/app:v1.2.3", "joe@example.org", "https://example.org:8443/a/b", "tcp://10.0.0.1:80"),
    *("*.example.org", "db-1.example.org:5432", "Cascadelake-Server-v5", "level=debug", "${NAME}", "a b9c d"),
    *("2006-01-02T15:04:05Z", "AES256_GCM", "x86_64", "sha256:" + "0a" * 32, "/var/lib/x1"),
    r"data\n",
)
TEMPLATES = (
    '{{ .Values.p | default "VALUE" | quote }}',
    '{{ default "VALUE" .Values.p }}',
    "{{ .Values.p | default `VALUE` }}",
    "{{ p | default('VALUE') }}",
    '{{ printf "%s" "VALUE" | b64enc }}',
    '{{ printf "VALUE%s" .Values.p }}',
    '{{ coalesce .Values.p "VALUE" }}',
    '{{ ternary "VALUE" "b" .Values.p }}',
    '{{- $p := "VALUE" -}}',
)


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_value_in_a_file_counts_whatever_its_name_is(text: str) -> None:
    assert VALUE in {value for _, value in values_of_file(text)}
    for key in ("config.json", "settings", "db"):
        secret: JsonObject = {"kind": "Secret", "stringData": {key: text}}
        assert VALUE in secret_values([secret])
        assert VALUE in values_in(secret).certain | values_in(secret).tokens


@pytest.mark.parametrize("value", ORDINARY)
def test_what_any_file_may_have_is_no_value(value: str) -> None:
    assert values_of_file(json.dumps({"code": value})) == ()
    assert values_of_file(f"code={value}\n") == ()


@pytest.mark.parametrize("written", [f"code: {VALUE}", f"<code>{VALUE}</code>", f"code: '{VALUE}'"])
def test_value_in_start_data_is_public_unless_it_is_a_credential(written: str) -> None:
    start_data = f"#cloud-config\nwrite_files:\n- content: |\n    {written}\npassword: Pa55-of-joe\n"
    for key in START_DATA[:2]:
        made = values_of(key, start_data)
        assert "Pa55-of-joe" in made.certain
        assert not any(VALUE in each for each in made.certain | made.tokens)


def test_passes_of_windows_setup_and_public_keys_of_its_parts_are_public() -> None:
    text = (
        '<unattend><settings pass="oobeSystem"><component publicKeyToken="31bf3856ad364e35">'
        f"<Password><Value>{VALUE}</Value></Password></component></settings></unattend>"
    )
    config_map: JsonObject = {"kind": "ConfigMap", "data": {"answers.xml": text}}
    made = values_in(config_map)
    assert VALUE in made.certain
    assert made.certain.isdisjoint(("oobeSystem", "31bf3856ad364e35"))


def test_who_can_decrypt_a_file_is_public() -> None:
    sops: JsonObject = {
        "age": [{"recipient": "age1689ww93cs2fkv3np57388eyepd789kk3zu"}],
        "pgp": [{"fp": "F846C93B"}],
    }
    assert values_of_file(json.dumps({"code": VALUE, "sops": sops})) == (("code", VALUE),)


def test_value_that_says_who_or_where_is_public() -> None:
    assert (
        values_of_file(json.dumps({"user": "vault:secret/data/db-X9#USER", "code": "vault:a/X9-b#C"})) == ()
    )
    assert (
        values_of_file(json.dumps({"user": "Admin-X9", "clusterID": "Prod-X9", "url": "https://X9a/"})) == ()
    )


@pytest.mark.parametrize("action", TEMPLATES)
def test_constant_of_a_template_is_a_value(action: str) -> None:
    secret: JsonObject = {"kind": "Secret", "stringData": {"code": action.replace("VALUE", VALUE)}}

    assert VALUE in secret_values([secret])
    assert VALUE in values_in(secret).certain | values_in(secret).tokens


def test_name_that_a_template_looks_up_is_no_constant() -> None:
    text = (
        '{{ include "app.Name-1" . }}{{ (lookup "v1" "Secret" "ns" "Name-2").data }}{{ .Files.Get "Name-3" }}'
    )

    assert [*constants_of_template(text)] == []


@pytest.mark.parametrize(
    "action",
    [
        '{{hub fromSecret "" "sensor-tls1" "ca.pem" hub}}',
        '{{hub copySecretData "ns-name" "sensor-tls1" hub}}',
        '{{ include (print $.Template.BasePath "/web-secret.yaml") . | sha256sum }}',
        '{{ toJson (dict "a" .ACCOUNT_TAG "t" .TUNNEL_ID "s" .TUNNEL_SECRET) }}',
        '{{ $_ := set $config "userActions" $userActions }}',
        '{{ $userActions := merge (dict "userActions" $access) (dig "userActions" dict $config) }}',
    ],
)
def test_name_and_what_is_between_two_texts_are_no_constants(action: str) -> None:
    assert [*constants_of_template(action)] == []


def test_work_is_counted() -> None:
    begin_run()
    values_of_file(json.dumps([{"a": "b"}] * 1000))
    assert spent() > 1000
