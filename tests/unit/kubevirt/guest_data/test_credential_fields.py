"""Credentials in any form, name and encoding, and texts that only look like one."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zlib
from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.guest_data.credential_fields import (
    credential_fields,
    is_copy_of_object,
    may_hold_credential,
)
from renderer.kubevirt.guest_data.credentials import credentials_in_user_data
from renderer.model.kube.json import Json, JsonObject

CANARY = "canary-is-a-bird"
RANDOM = "Zm9vYmFyYmF6cXV4Zm9vYmFy"
AGE = f"-----BEGIN AGE ENCRYPTED FILE-----\n{'YWdlLWVuY3J5cHRpb24' * 8}\n-----END AGE ENCRYPTED FILE-----\n"
PEM = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{'b3BlbnNzaC1rZXktdjE' * 8}\n-----END OPENSSH PRIVATE KEY-----\n"

FORMS = (
    f"redis://:{CANARY}@redis:6379/0",
    f"postgres://app:{CANARY}/with/slash@db/x",
    f"postgres://app:{CANARY}@db",
    f"postgresql+psycopg2://app:pa'ss,word{CANARY}@[::1]:5432/x",
    f"https://{CANARY}@example.com/disk.qcow2",
    f"https://x-token:{CANARY}@example.com/a.git",
    f"see https://me:{CANARY}@h/ for more",
    f"ssh://root:{CANARY}@h",
    f"amqps://app:{CANARY}@mq1,mq2/vhost",
    f"mongodb+srv://app:{CANARY}@cluster0.example.net/?retryWrites=true",
    f"app:{CANARY}@tcp(db:3306)/shop",
    f"ftp:me:{CANARY}@host/path",
    f"jdbc:oracle:thin:scott/{CANARY}@//db:1521/x",
    f"scott/{CANARY}@//db:1521/x",
    f"jdbc:postgresql://db/x?user=app&password={CANARY}",
    f"https://h/disk.qcow2?X-Amz-Signature={CANARY}",
    f"https://h/disk.qcow2?sv=1&sig={CANARY}",
    f"https://h/disk?access_token={CANARY}",
    f"https://h/token/{CANARY}/disk.qcow2",
    f"https://hooks.slack.com/services/T000/B000/{CANARY}",
    f"Server=db;User Id=sa;Password={CANARY};",
    f"AccountName=x;AccountKey={CANARY}==;EndpointSuffix=core.windows.net",
    f"[Service]\nEnvironment=DB_PASSWORD={CANARY}",
    f'Environment="A=b" "DB_PASSWORD={CANARY}"',
    f"docker run --env=DB_PASSWORD={CANARY} x",
    f"Authorization: token {CANARY}",
    f"authorization: AWS4-HMAC-SHA256 Credential={CANARY}",
    f"Authorization: {CANARY}",
    f"curl -H 'Authorization: ApiKey {CANARY}' https://h/",
    f"Proxy-Authorization: Basic {RANDOM}",
    f"X-Auth-Token: {CANARY}",
    f"PRIVATE-TOKEN: {CANARY}",
    f"Cookie: session={CANARY}",
    f"Bearer {RANDOM}1",
    PEM,
    PEM.replace("OPENSSH ", ""),
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx",
    "PuTTY-User-Key-File-3: ssh-ed25519",
    f'{{"kty":"RSA","n":"abc","e":"AQAB","d":"{RANDOM}"}}',
    *(
        f"root:{salt}${'aB3./cD' * 5}"
        for salt in [
            "$1$saltsalt",
            "$2a$05",
            "$2b$12",
            "$2y$10",
            "$5$salt",
            "$5$rounds=5000$salt",
            "$6$salt",
            "$7$C6..../....salt",
            "$y$j9T$salt",
            "$gy$j9T$salt",
            "$sha1$40000$salt",
            "$md5,rounds=5000$salt",
            "$apr1$salt",
            "$3$",
            "$argon2id$v=19$m=65536,t=2$salt",
            "$pbkdf2-sha256$29000$salt",
            "$scrypt$ln=16$salt",
            "$P$",
            "$H$",
            "$sm3$salt",
            "\\$6\\$salt",
            "$$6$$salt",
        ]
    ),
    "root:aB3./cDeFgHi2:19000:0:::",
    "user:rqXexS6ZhobKA",
    "user:_J9..K0AyUubJVhWv31c",
    *(
        f"{{{scheme}}}{RANDOM}"
        for scheme in [
            "SSHA",
            "SHA",
            "SMD5",
            "MD5",
            "CRYPT",
            "ssha256",
            "SSHA512",
            "PBKDF2-SHA512",
            "ARGON2",
            "CLEARTEXT",
        ]
    ),
    f"*{'0123456789ABCDEF0123456789ABCDEF01234567'}",
    f"SCRAM-SHA-256$4096:{RANDOM}",
    f"ghp_{RANDOM}12345678",
    f"glpat-{RANDOM}",
    "AKIAIOSFODNN7EXAMPLE",
    f"sha256~{RANDOM * 2}",
    f"eyJhbGciOiJIUzI1NiJ9.{RANDOM}.x",
    f"password = {CANARY}",
    f"db.password: {CANARY}",
    f'"dbPassword": "{CANARY}"',
    f"export DB_PASS='{CANARY}'",
    f"<password>{CANARY}</password>",
    f"<AdministratorPassword><Value>{CANARY}</Value></AdministratorPassword>",
    f"<settings><unattend xmlns='urn:schemas-microsoft-com:unattend'>{CANARY}",
    f"machine h login me password {CANARY}",
    f"db:5432:shop:app:{CANARY}",
    f"//registry.example.com/:_authToken={CANARY}",
    f"echo root:{CANARY} | chpasswd",
    f"mysql -u root -p{CANARY}",
    f"curl -u me:{CANARY} https://h/",
    f"kubeadm join h:6443 --token {CANARY}",
    f"password: |\n  {CANARY}\n",
    f"#cloud-config\nchpasswd:\n  list: |\n    root:{CANARY}\n",
    f"#cloud-config\nchpasswd: {{list: ['root:{CANARY}']}}\n",
    f"<Password><![CDATA[{CANARY}]]></Password>",
    f"<Password>\n<Value><![CDATA[{CANARY}]]></Value></Password>",
    f"db:\n  password:\n    {CANARY}\n",
    f"kind: Secret\nstringData: {{x: {CANARY}}}\n",
    f'[{{"args": ["--password", "{CANARY}"]}}]',
)
FIELDS = (
    {"env": [{"name": "DB_PASSWORD", "value": CANARY}]},
    {"env": [{"value": CANARY, "name": "API_TOKEN"}]},
    {"args": ["--password", CANARY]},
    {"args": [f"--password={CANARY}"]},
    {"httpHeaders": [{"name": "Authorization", "value": f"Token {CANARY}"}]},
    {"helm": {"parameters": [{"name": "db.password", "value": CANARY}]}},
    {"helm": {"valuesObject": {"auth": {"rootPassword": CANARY}}}},
    {"helm": {"values": f"auth:\n  rootPassword: {CANARY}\n"}},
    {"source": {"repoURL": f"https://me:{CANARY}@git/x.git"}},
    {"source": {"repoURL": f"https://{CANARY}@git/x.git"}},
    {"parameters": [{"name": "PASSWORD", "value": CANARY}]},
    {"objects": [{"kind": "Secret", "stringData": {"x": CANARY}}]},
    {"objects": [{"kind": "Secret", "data": {"x": b64encode(CANARY.encode()).decode()}}]},
    {"objects": [{"volumes": [{"cloudInitNoCloud": {"userData": f"#cloud-config\npassword: {CANARY}\n"}}]}]},
    {"a": {"userDataBase64": b64encode(f"#cloud-config\npassword: {CANARY}\n".encode()).decode()}},
    {"data": {"user-data": f"#cloud-config\nchpasswd: {{list: 'root:{CANARY}'}}\n"}},
    {"data": {"Unattend.xml": CANARY}},
    {
        "annotations": {
            "kubevirt.io/ignitiondata": json.dumps({"passwd": {"users": [{"passwordHash": CANARY}]}})
        }
    },
    {"sev": {"session": CANARY}},
    {"password": 123456},
    {"passwords": [CANARY]},
    {"clientSecret": CANARY},
    {"op": "add", "path": "/stringData/password", "value": CANARY},
    {f"https://me:{CANARY}@h/": "x"},
    {"kind": "SealedSecret", "spec": {"encryptedData": {"password": CANARY}}},
    {"sops": {"token": CANARY}},
)
HARMLESS = (
    "[Service]\nEnvironment=MODE=fast",
    "Environment=DB_PASSWORD=${DB_PASSWORD}",
    "https://example.com:8443/disk.qcow2",
    "ssh://git@example.com/a",
    "https://git@github.com/x/y.git",
    "docker://quay.io:5000/containerdisks/fedora@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "registry:5000/image:tag@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "https://cdn.example.com/npm:lodash@4.17.21/index.js",
    "contact: me@example.com",
    "mailto:me@example.com",
    "git@github.com:org/repo.git",
    '["http://a:80","me@example.com"]',
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE0x me@host",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUZx\n-----END CERTIFICATE-----\n",
    "echo $1$2 ${HOME}",
    "postgres://${USER}:${PASSWORD}@db/x",
    "postgres://{{ .user }}:{{ .password }}@db/x",
    "password: ${PASSWORD}",
    "DB_PASSWORD=$(DB_PASSWORD)",
    "password: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]",
    "PasswordAuthentication: no",
    "ssh_pwauth: true",
    "lock_passwd: false",
    "server.port: 8080\nname: web\n",
    "PWD=/root",
    "maxTokens: 5",
    "quay.io/containerdisks/fedora:latest",
    "12:34:56:78:9a:bc",
    "{{ .Values.password }}",
)
HARMLESS_FIELDS = (
    {"env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]},
    {"automountServiceAccountToken": True},
    {"imagePullSecret": "pull"},
    {"existingSecret": "db"},
    {"secretName": "db"},
    {"secretRef": {"name": "db"}},
    {"sessionAffinity": "None"},
    {"kind": "SealedSecret", "spec": {"encryptedData": {"password": f"AgBy8hCi{'x4/+' * 99}="}}},
    {
        "kind": "Secret",
        "data": {"password": "ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]"},
        "sops": {
            "kms": [{"arn": "arn:aws:kms:eu:1:key/9", "enc": f"AQICAHh{'x4/+' * 99}", "aws_profile": ""}],
            "hc_vault": [{"vault_address": "https://v:8200", "key_name": "sops-key", "enc": "vault:v1:x4/="}],
            "age": [{"recipient": f"age1{'q7' * 29}", "enc": AGE}],
            "mac": "ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]",
            "encrypted_regex": "^(data|stringData|password)$",
            "version": "3.9.0",
        },
    },
    {"data": [{"secretKey": "password", "remoteRef": {"key": "prod/db", "property": "password"}}]},
    {"tls": {"termination": "edge"}},
    {"password": ""},
    {"objects": [{"kind": "Secret", "stringData": {"x": "${PASSWORD}"}}]},
    {"parameters": [{"name": "PASSWORD", "generate": "expression", "from": "[a-z]{16}"}]},
    {"accessCredentials": [{"userPassword": {"source": {"secret": {"secretName": "users"}}}}]},
)


#: Arguments of commands, one of which is a credential because of those before it.
ARGUMENTS = (
    ("app", "--password", CANARY),
    ("app", "-password", f"-{CANARY}"),
    ("app", "--db-token", f"two words {CANARY}"),
    ("redis-cli", "-h", "db", "-a", CANARY),
    ("sshpass", "-p", CANARY),
    ("docker", "login", "-u", "me", "-p", CANARY),
    ("mysql", "-u", "me", f"-p{CANARY}"),
    ("curl", "--user", f"me:{CANARY}", "http://h"),
    ("/bin/useradd", "-p", CANARY, "me"),
    ("vault", "login", CANARY),
    ("vault", "login", f"two words|{CANARY}"),
    ("net.exe", "user", "Jane Doe", CANARY, "/add"),
    ("smbclient", "//h/s", CANARY),
    ("sqlplus", f"me/{CANARY}@db"),
    ("mysql", "-u", "me&you", f"-p{CANARY}"),
)
HARMLESS_ARGUMENTS = (
    ("app", "--password", "$(PASSWORD)"),
    ("app", "--password", "--verbose"),
    ("app", "--password"),
    ("app", "--token-file", "/run/token"),
    ("app", "-p", "8080"),
    ("bridge", "-auth=bearer-token", "-listen=http://h:80"),
    ("socat", "-u", "UDP-RECVFROM:6666,reuseaddr,fork", "-"),
    ("wait-for", "mysql:3306", "-period", "5"),
    ("mysqld", "-p", "3306"),
    ("redis-cli", "-a", "$(PASSWORD)"),
    ("docker", "run", "--user", "1000:1000"),
    ("vault", "login", "$(TOKEN)"),
    ("net", "start", "vault", "login"),
    ("sh", "-c", "vault status; net view", "login"),
    ("redis-cli", "-a", "", "ping"),
)


def found(value: Json) -> bool:
    return any(True for _ in credential_fields(value))


@pytest.mark.parametrize("text", FORMS)
def test_credentials_are_found_in_any_text(text: str) -> None:
    assert found(text)
    assert may_hold_credential(f"a: {text}")
    for wrapped in (
        f"first line\n  {text}",
        json.dumps({"a": text}),
        b64encode(text.encode()).decode(),
        encodebytes(f"# a comment before it\n{text}".encode()).decode(),
        urlsafe_b64encode(f"# a\n{text}".encode()).decode().rstrip("="),
        b64encode(gzip.compress(text.encode(), mtime=0)).decode(),
        *(b64encode(text.encode(utf)).decode() for utf in ("utf-16", "utf-16-le", "utf-16-be")),
        *(b64encode(pack(text.encode())).decode() for pack in (zlib.compress, bz2.compress, lzma.compress)),
        b64encode(b64encode(text.encode())).decode(),
        quote(f"# a\n{text}"),
    ):
        if wrapped.startswith("first") and text.startswith(("password: |", "db:\n", "#cloud-config")):
            continue  # no longer YAML
        assert found({"x": [{"y": wrapped}]}), wrapped


FILES = (
    f"[client]\nuser=root\npassword = {CANARY}\n",
    f"[db]\nPASSWD={CANARY}\n[other]\n",
    f'[db]\npassword = "{CANARY}"',
    f"[Interface]\nPrivateKey = {CANARY}=\n",
    f"[client.admin]\n key = {RANDOM}==\n",
    json.dumps({"auths": {"r": {"auth": b64encode(f"app:{CANARY}".encode()).decode()}}}),
    f"SSHPASS={CANARY} sshpass -e ssh h",
    f"redis-cli -h db -a {CANARY} ping",
    f"redis-cli -h db \\\n  -a {CANARY} ping",
    f"mongosh -u app -p {CANARY} --host h",
    f"ldapsearch -D cn=x -w '{CANARY}'",
    f"docker login -u app -p {CANARY} r",
    f"oc login -u app -p {CANARY} https://h",
    f"ipmitool -H h -U app -P {CANARY}",
    f"mosquitto_pub -u app -P {CANARY}",
    f"psexec -u app -p {CANARY} cmd",
    f"schtasks /create /ru app /rp {CANARY}",
    f"useradd -p '{CANARY}' app",
    f"openssl enc -aes-256-cbc -k {CANARY}",
    f"openssl passwd -6 {CANARY}",
    f"openssl req -x509 -passout pass:{CANARY}",
    f"keytool -list -storepass {CANARY}",
    f"rhc connect -a {CANARY} -o 1",
    f"echo '{CANARY}' | realm join -U admin x",
    f"printf '{CANARY}' | sudo passwd root",
    f"chpasswd <<EOF\nroot:{CANARY}\nEOF\n",
    f"net ads join -U admin%{CANARY}",
    f"lftp -u app,{CANARY} h",
    f"ConvertTo-SecureString '{CANARY}' -AsPlainText -Force",
    f"ConvertTo-SecureString -AsPlainText -Force -String {CANARY}",
    f'"{CANARY}" | ConvertTo-SecureString -AsPlainText -Force',
    f"New-Object System.Net.NetworkCredential('app', '{CANARY}')",
    f"create user app identified by {CANARY} default tablespace users",
    f"SET PASSWORD FOR 'app'@'%' = PASSWORD('{CANARY}')",
    f"login details\nPassword:\n{CANARY}\n",
    f"rootpw --plaintext {CANARY}\n",
    f"d-i passwd/root-password password {CANARY}\n",
    f"requirepass {CANARY}\n",
    f"rocommunity {CANARY}\n",
    f"createUser app SHA {CANARY} AES x\n",
    f"enable secret 5 {CANARY}\n",
    f"username app password 7 {CANARY}\n",
    f"set password ENC {CANARY}\n",
    f'encrypted-password "{CANARY}";',
    f'key "x" {{ algorithm hmac-sha256; secret "{CANARY}"; }};',
    f"define('DB_PASSWORD', '{CANARY}');",
    f'<add key="Password" value="{CANARY}"/>',
    f"mysql -e \"CREATE USER app IDENTIFIED BY '{CANARY}'\"",
    f"CREATE USER app IDENTIFIED WITH caching_sha2_password BY '{CANARY}';",
    f"echo '{CANARY}' | sudo -S ls",
    f"echo {CANARY} | sudo -k -S ls",
    f"kinit app <<< {CANARY}",
    f"cryptsetup luksOpen /dev/vda x <<< '{CANARY}'",
    f"chpasswd <<< 'root:{CANARY}'",
    f"export DBPASS='{CANARY}'",
    f"nmcli con mod w wifi-sec.psk {CANARY}",
    f"sqlcmd -U sa -P '{CANARY}' -Q x",
    f"bcp x in f -U app -P {CANARY}",
    f"unzip -P {CANARY} f",
    f"7z x -p{CANARY} f",
    f"smbclient //s/x -U app%{CANARY}",
    f"smbclient //s/x {CANARY} -U app",
    f"winexe -U app%{CANARY} //h cmd",
    f"xfreerdp /u:app /p:{CANARY} /v:h",
    f"rdesktop -u app -p {CANARY} h",
    f"racadm -r h -u app -p {CANARY} x",
    f"sqlplus app/{CANARY}@h",
    f"snmpwalk -v2c -c {CANARY} h",
    f"net use Z: \\\\srv\\s {CANARY} /user:app",
    f"uri ldap://h\nbindpw {CANARY}\n",
    f"vault login {CANARY}",
    f"rclone config create x webdav pass {CANARY}",
    f"expect -c 'send \"{CANARY}\\r\"'",
    f"curl -b 'session={CANARY}' x",
    f"http --auth app:{CANARY} x",
    f"curl -u app:'{CANARY}' x",
    f"mysql -u root -p'{CANARY}'",
    f"7z x -p'{CANARY}' f",
    f"rar a -hp{CANARY} f",
    f"sqlplus app/'{CANARY}'@h",
    f"smbclient //s/x -U app%'{CANARY}'",
    f"skopeo copy --src-creds app:{CANARY} a b",
    f"podman pull --creds=app:{CANARY} x",
    f"kadmin -p admin -w {CANARY}",
    f"ssh-keygen -t ed25519 -N '{CANARY}' -f k",
    f"htpasswd -B -b f app {CANARY}",
    f"mc alias set m https://h app {CANARY}",
    f"aws --profile x configure set aws_secret_access_key {CANARY}",
    f"iscsiadm -m node -o update -n node.session.auth.password -v {CANARY}",
    f"vncpasswd -f <<< {CANARY}",
    f"redis-cli CONFIG SET requirepass {CANARY}",
    f"rabbitmqctl add_user app {CANARY}",
    f"ipa-client-install -p admin -w {CANARY} --unattended",
    f"vault operator unseal {CANARY}",
    f"pro attach {CANARY}",
    f"SUSEConnect -r {CANARY}",
    f"etcdctl user add root:{CANARY}",
    f"expdp system/{CANARY} directory=d",
    f"slmgr /ipk {CANARY}",
    f'useradd -p $(perl -e \'print crypt("{CANARY}","salt")\') app',
    f"sed -i s/CHANGEME/{CANARY}/ /etc/db.conf",
    f"export GH_PAT={CANARY}",
    f"vrrp_instance a {{ authentication {{ auth_pass {CANARY} }} }}",
    f"bind_pw {CANARY}",
    f"ldap_default_authtok = {CANARY}",
    f'network={{\n psk "{CANARY}"\n}}',
    f'10.0.0.1 %any : PSK "{CANARY}"',
    f"app * {CANARY} *",
    f"snmp-server community {CANARY} RO",
    f"ip ospf message-digest-key 1 md5 {CANARY}",
)
HARMLESS_FILES = (
    "[client]\nuser=root\nport = 3306\n",
    "docker run -p 8080:80 nginx",
    "echo done | tee /tmp/x",
    "oc login --help; mkdir -p /a",
    "useradd -m -s /bin/bash app",
    "mongod --port 1",
    "openssl req -new -key tls.key",
    "redis-cli ping",
    "ldapsearch -x -b dc=example",
    "key = value",
    json.dumps({"auths": {"r": {"auth": "${AUTH}"}}}),
    "the secret of a good life; secret things",
    '<add key="Password" value="${PASSWORD}"/>',
    "enable secret service",
    "export BYPASS=1; OLDPWD=$HOME; COMPASS=north",
    "sudo tee /etc/motd <<< 'hello'",
    "grep x <<< word",
    "zip -r f x; 7z x f; unzip f",
    "sqlplus / as sysdba",
    "echo done | sudo tee /tmp/x",
    "net use",
    "smbclient -L //h",
    "https --print h",
    "ssh-keygen -t ed25519 -N '' -f k",
    "htpasswd -B f app word",
    "rar x f.rar; unrar x f",
    "aws configure set region eu-1",
    "iscsiadm -m node -n node.startup -v automatic",
    "mc ls m",
    "passwd -l user1; chpasswd user2",
    "kubectl get secret db-1",
    "cloudflared service install\nsystemctl start cloudflared",
    "# enter the password of the first user\n# the token expires",
    "unset DB_PASSWORD API_TOKEN",
    "ls * a *\nrm a * b",
    "sed -i s/a/b/ /etc/x",
)


@pytest.mark.parametrize("text", FILES)
def test_credentials_are_found_in_files_and_commands(text: str) -> None:
    for wrapped in (text, f"#!/bin/sh\n{text}", b64encode(text.encode()).decode()):
        assert found({"x": wrapped}), wrapped
    quoted = text.replace(CANARY, f"'{CANARY}'") if text.startswith(("redis-cli", "vault")) else text
    for scalar in (json.dumps(f"#!/bin/sh\n{quoted}"), "'{}'".format(quoted.replace("'", "''"))):
        assert found({"userData": f"#cloud-config\nruncmd:\n- {scalar}\n"}) or "\n" in text, scalar


@pytest.mark.parametrize("text", HARMLESS_FILES)
def test_other_files_and_commands_hold_no_credentials(text: str) -> None:
    assert not found({"x": text})


@pytest.mark.parametrize("field", FIELDS)
def test_credentials_are_found_in_any_field(field: Json) -> None:
    for wrapped in (
        field,
        [field],
        {"x": {"y": field}},
        {"x": json.dumps(field)},
        {"x": json.dumps(json.dumps(field))},
    ):
        assert found(wrapped), wrapped
        assert may_hold_credential(json.dumps(wrapped))
    assert found({"x": b64encode(gzip.compress(json.dumps(field).encode(), mtime=0)).decode()})


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_are_not_credentials(text: str) -> None:
    assert not found({"x": text})
    assert not found({"x": b64encode(text.encode()).decode()})


@pytest.mark.parametrize("field", HARMLESS_FIELDS)
def test_names_of_secrets_are_not_credentials(field: Json) -> None:
    assert not found(field)
    assert not found({"x": json.dumps(field)})


def test_copies_of_objects_are_recognised() -> None:
    copy = json.dumps({"apiVersion": "v1", "kind": "Secret", "data": {"password": "x"}})
    assert is_copy_of_object(copy)
    assert is_copy_of_object(b64encode(gzip.compress(copy.encode(), mtime=0)).decode())
    assert not is_copy_of_object('[{"args": ["--password", "x"]}]')
    assert not is_copy_of_object("a text")


def containers(arguments: tuple[str, ...]) -> Iterator[JsonObject]:
    """Yield objects that run a command: in one list, in two, and both in a hook of a machine."""
    first, *rest = arguments
    one: JsonObject = {"args": [*arguments]}
    two: JsonObject = {"command": [first], "args": [*rest]}
    for container in (one, two):
        yield {"kind": "Pod", "spec": {"containers": [container]}}
        annotations: JsonObject = {HOOK_SIDECARS: json.dumps([container])}
        yield {"kind": "VirtualMachine", "spec": {"template": {"metadata": {"annotations": annotations}}}}


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_credential_among_arguments_is_neither_imported_nor_compared(arguments: tuple[str, ...]) -> None:
    for each in containers(arguments):
        assert found(each)
        assert CANARY not in json.dumps(masked(each, root_scope()))


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_credential_in_a_command_of_cloud_init_is_found(arguments: tuple[str, ...]) -> None:
    in_lines, in_plain_lines = (
        "".join(f"\n  - {each}" for each in words).lstrip()
        for words in (map(json.dumps, arguments), arguments)
    )
    for words in (json.dumps(arguments), json.dumps(arguments, indent=4), in_lines, in_plain_lines):
        text = f"#cloud-config\nruncmd:\n- {words}\n"
        for each in (text, f"## template: jinja\n{text}{{% if x %}}\n"):
            assert found({"userData": each}), each
            assert found({"userDataBase64": b64encode(each.encode()).decode()}), each
        assert {each.what for each in credentials_in_user_data(text.encode())} == {"password"}


@pytest.mark.parametrize("arguments", HARMLESS_ARGUMENTS)
def test_other_arguments_are_imported_and_compared(arguments: tuple[str, ...]) -> None:
    for each in containers(arguments):
        assert not found(each)
        assert masked(each, root_scope()) == each
        text = f"#cloud-config\nruncmd:\n- {json.dumps(arguments)}\n"
        assert not [*credentials_in_user_data(text.encode())]
