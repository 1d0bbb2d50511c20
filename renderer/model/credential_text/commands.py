"""Commands with a password, as lines of a text and as lists of arguments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from renderer.model.credential_text.form import Form, is_credential_value
from renderer.model.credential_text.names import names_credential
from renderer.model.credential_text.settings import SETTINGS
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern

#: Clients with an option for a password: signs of them, the beginning of a command, and the option.
_CLIENTS = (
    (("redis-cli",), "redis-cli", "-a"),
    (
        ("mongo", "useradd", "usermod", "psexec", "cqlsh", "influx", "ncftp", "esxcli"),
        r"(?:mongo\w*|useradd|usermod|psexec\d*|cqlsh|influx|ncftp\w*|esxcli)",
        "-p",
    ),
    (("login",), r"(?:docker|podman|oc|helm|skopeo|buildah|nerdctl|az)\s[^\n|;&]{0,40}?login", "-p"),
    (("ldap", "ipa-"), r"(?:ldap(?:search|add|modify|delete|passwd|whoami)|ipa-[\w-]{1,40})", "-w"),
    (("ipmitool", "mosquitto"), "(?:ipmitool|mosquitto_(?:pub|sub))", "-P"),
    (("schtasks",), "schtasks", "/rp"),
    (("openssl",), r"openssl\s+enc", "-k"),
    (("openssl",), r"openssl\s+passwd", "-[156]"),
    (("keytool",), "keytool", "-(?:store|key)pass"),
    (("rhc",), r"rhc\s+connect", "-a"),
    (("kadmin",), "kadmin", "-w"),
    (("ssh-keygen",), "ssh-keygen", "-[NP]"),
    (("iscsiadm",), r"iscsiadm\s[^\n|;&]{0,200}?-n\s+[\w.]{1,80}password", "-v"),
    (
        ("secret_access_key", "session_token"),
        r"aws\s[^\n|;&]{0,40}?configure",
        r"set\s+[\w.]{0,80}(?:secret_access_key|session_token)",
    ),
    (("sqlcmd", "bcp", "unzip", "zip"), "(?:sqlcmd|bcp|unzip|zip)", "-P"),
    (("desktop", "racadm"), "(?:rdesktop|racadm)", "-p"),
    (("snmp",), r"snmp\w{1,20}", "-[AXc]"),
    (
        ("vault", "nomad", "terraform", "cloudflared"),
        "(?:vault|nomad|terraform|cloudflared)",
        r"(?:login|unseal|install)(?=[ \t]+\S)",
    ),
    (("attach",), "(?:pro|ua|ubuntu-advantage)", r"attach(?=[ \t]+\S)"),
    (("suseconnect", "registercloudguest"), "(?:SUSEConnect|registercloudguest)", "(?:-r|--regcode)"),
    (("rabbitmqctl",), "rabbitmqctl", r"(?:add_user|change_password)\s+\S+"),
    (("slmgr",), r"slmgr(?:\.vbs)?", "[/-]ipk"),
    (("rclone",), r"rclone\s+config", "pass"),
    (("nmcli", "psk", "wep-key"), "nmcli", r"(?:wifi-sec|802-11-wireless-security)\.(?:psk|wep-key\d)"),
)
#: Programs that read a password from their input.
_ASKS = (
    r"\b(?:adcli|chpasswd|cryptsetup|kinit|openconnect|(?:vnc)?passwd|realm"
    r"|sudo\s{1,9}(?:-\w{1,20}\s{1,9}){0,9}-\w{0,20}S)\b"
)
#: Commands with a password.
COMMANDS = (
    *(
        Form(
            signs,
            pattern(
                rf"\b{client}\b(?:\.exe)?[^\n|;&]{{0,200}}?\s{option}\s+[\"']?(?P<word>[^\s\"'$-][^\s\"']*)"
            ),
        )
        for signs, client, option in _CLIENTS
    ),
    Form(
        ("echo", "printf"),
        pattern(
            r"\b(?:echo|printf)\s+(?:-\w+\s+)?[\"']?(?P<word>[^\s\"'|:$]+)[\"']?\s*\|\s*(?:sudo\s+)?"
            r"(?:passwd|realm|adcli|kinit|cryptsetup|sudo\s{1,9}(?:-\w{1,20}\s{1,9}){0,9}-\w{0,20}S)\b"
        ),
    ),
    # a here-string for a program that asks for a password
    Form(
        ("<<<",),
        pattern(rf"{_ASKS}[^\n|;&<]{{0,200}}<<<\s*[\"']?(?:[\w.-]{{1,64}}:)?(?P<word>[^\s\"'$][^\s\"']*)"),
    ),
    # SQL of any database
    Form(
        ("identified",),
        pattern(
            r"\bidentified\s+(?:with\s+\S{1,60}\s+)?(?:by|as)\s+(?:password\s+)?\\?[\"'](?P<word>[^\"'\n]+)",
            re.IGNORECASE,
        ),
    ),
    Form(
        ("identified",),
        pattern(
            r"\b(?:create|alter)\s+user\s+\S{1,60}\s+identified\s+by\s+(?P<word>[^\s\"';]+)", re.IGNORECASE
        ),
    ),
    Form(("password",), pattern(r"\bpassword\s{0,9}\(\s{0,9}[\"'](?P<word>[^\"'\n]+)", re.IGNORECASE)),
    # user%password, user/password@host and /p:password
    Form(
        ("smb", "winexe", "rpcclient", "wmic"),
        pattern(
            r"\b(?:smb\w{1,20}|winexe|rpcclient|wmic)\b[^\n|;&]{0,200}?\s-U\s*[^\s%]{1,99}%[\"']?(?P<word>[^\s\"']+)"
        ),
    ),
    Form(("smbclient",), pattern(r"\bsmbclient\s+//\S{1,200}\s+[\"']?(?P<word>[^\s\"'$-][^\s\"']*)")),
    Form(
        ("sqlplus", "expdp", "impdp", "rman"),
        pattern(
            r"\b(?:sqlplus|expdp|impdp|rman(?:\s+target)?)\s{1,9}(?:-\w{1,20}\s{1,9}){0,9}[^\s/\"']{1,99}/[\"']?(?P<word>[^\s@\"'/]+)"
        ),
    ),
    Form(("freerdp",), pattern(r"\b[xw]l?freerdp\d?\b[^\n|;&]{0,300}?\s/p:(?P<word>\S+)")),
    Form(
        ("7z", "rar"),
        pattern(r"\b(?:7z[ar]?|u?n?rar)\s[^\n|;&]{0,200}?\s-h?p[\"']?(?P<word>[^\s\"'$-][^\s\"']*)"),
    ),
    Form(
        ("htpasswd",),
        pattern(
            r"\bhtpasswd\s+(?:-\w{1,9}\s+){0,9}-\w{0,9}b\w{0,9}\s+(?:-\w{1,9}\s+){0,9}\S+\s+\S+\s+[\"']?(?P<word>[^\s\"'$]+)"
        ),
    ),
    Form(
        ("mc",),
        pattern(r"\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+\S+\s+[\"']?(?P<word>[^\s\"'$]+)"),
    ),
    Form(
        ("net",), pattern(r"\bnet\s+use\s[^\n|;&]{0,99}?\\\\\S{1,200}\s+(?P<word>[^\s/*]\S*)", re.IGNORECASE)
    ),
    Form(
        ("send",),
        pattern(r"\bsend\s+(?:--\s+)?\\?[\"'](?P<word>[^\s\"'\\$]{6,200})\\{1,2}[rn]\\?[\"']"),
    ),
    # cookies of a session, and the password of other clients than curl
    Form(
        ("session", "sid", "token", "auth"),
        pattern(
            r"\s(?:-b|--cookie)[\s=]{1,9}[\"']?[\w.-]{0,40}(?:session|sid|token|auth)\w{0,20}=(?P<word>[^\s\"';]+)",
            re.IGNORECASE,
        ),
    ),
    Form(
        ("http",),
        pattern(
            r"\bhttps?\s[^\n|;&]{0,200}?(?:-a|--auth)[\s=]{1,9}[\"']?[^\s:\"']{1,99}:[\"']?(?P<word>[^\s\"']+)"
        ),
    ),
    Form(("chpasswd",), pattern(r"\bchpasswd\b[^\n]{0,40}<<[^\n]{1,40}\n\s*[^\s:]{1,99}:(?P<word>\S+)")),
    Form(("net",), pattern(r"\bnet\s+ads\b[^\n]{0,200}?\s-U\s*[^\s%]{1,99}%(?P<word>\S+)")),
    Form(
        ("etcdctl",),
        pattern(r"\betcdctl\b[^\n|;&]{0,200}?\suser\s+add\s+[^\s:]{1,99}:(?P<word>[^\s\"']+)"),
    ),
    # a hash is made of a password, and a placeholder is replaced by one
    Form(("crypt",), pattern(r"\bcrypt\(\s*\\?[\"'](?P<word>[^\"'\\\n]+)")),
    Form(
        ("sed",),
        pattern(
            r"\bsed\b[^\n]{0,200}?\bs(?P<sign>[/|#])[^/|#\s]{0,40}(?:change_?me|passw\w{0,9}|secret|token)[^/|#\s]{0,9}"
            r"(?P=sign)(?P<word>[^/|#\s=]+)(?P=sign)",
            re.IGNORECASE,
        ),
    ),
    Form(("lftp",), pattern(r"\blftp\s+-u\s*[^\s,]{1,99},(?P<word>\S+)")),
    Form(("pass:",), pattern(r"\s-pass(?:in|out)?\s+pass:(?P<word>[^\s\"']+)")),
    Form(
        ("securestring",),
        pattern(
            r"ConvertTo-SecureString(?:\s+-(?!String\b)\w{1,20})*+\s+(?:-String\s+)?[\"']?"
            r"(?P<word>(?<=[\"'])[^\"'$\n]+|[^\s\"'$()|-][^\s\"'$()|]*)",
            re.IGNORECASE,
        ),
    ),
    Form(
        ("securestring",),
        pattern(
            r"[\"'](?P<word>[^\"'$\n]{1,200}+)[\"']\s{0,9}\|\s{0,9}ConvertTo-SecureString", re.IGNORECASE
        ),
    ),
    Form(
        ("networkcredential",),
        pattern(r"NetworkCredential\(\s*[^,()\n]{1,100},\s*[\"'](?P<word>[^\"'$\n]+)", re.IGNORECASE),
    ),
    Form(
        ("echo",),
        pattern(
            r"\becho\s+[\"']?(?:[\w.-]+:)?(?P<word>[^\s\"'|:$]+)[\"']?\s*\|\s*"
            r"(?:sudo\s+)?(?:chpasswd|passwd\s+--stdin)"
        ),
    ),
    Form(
        ("mysql", "mariadb"),
        pattern(
            r"(?<![\w=:-])(?:mysql|mariadb)[\w.-]{0,99}(?=\s)[^\n|;&]{0,200}\s-p[\"']?(?P<word>[^\s$\"'][^\s\"']*)"
        ),
    ),
    Form(("sshpass",), pattern(r"\bsshpass\s+-p\s*(?P<word>\S+)")),
    Form(
        ("-u", "-user", "creds"),
        pattern(
            r"\s(?:-u|--user|--proxy-user|--(?:src-|dest-)?creds)[\s=]{0,9}[\"']?"
            r"(?!\d+:\d+(?!\S)|[\w-]+:\d{1,5},)[^\s:\"'$/]{1,99}:[\"']?(?P<word>[^\s\"'$/]+)(?![\w/])"
        ),
    ),
    Form(("net",), pattern(r"\bnet1?(?:\.exe)?\s+user\s+\S+\s+(?P<word>[^\s/*]\S*)", re.IGNORECASE)),
)
_SIGNS_OF_COMMANDS = tuple(dict.fromkeys(sign for command in COMMANDS for sign in command.signs))
#: An argument that is another option, and not the value of the one before it.
_ANOTHER_OPTION = pattern(r"--[\w-]+|--?[\w-]+=.*|-\w", re.DOTALL)
#: What ends a word or a command in a line of a shell, and is part of a word in a list.
_BETWEEN_WORDS = pattern(r"[\s\"'|;&]")
#: The first word of each element of a list in YAML or JSON, in lower case.
_WORD_OF_LIST = pattern(r"(?:[\[,]|^[ \t]{0,200}-)[\s-]{0,200}[\"']?([^\s,\[\]\"']{1,100})", re.MULTILINE)
#: An element of a list in YAML or JSON, in quotes or on a line of its own, and the punctuation of a list.
_OF_LISTS = pattern(
    r"(?P<empty>\"\"|'')|\"(?P<double>[^\"\n]{1,250})\"|'(?P<single>[^'\n]{1,250})'"
    r"|[\[\],](?:[ \t\r]{0,200}\n)?"
    r"|\n[ \t]{0,200}(?:-[ \t]{1,20}){1,9}(?P<plain>[^\s\[{\"'][^\n]{0,250})?"
)


def credential_arguments(arguments: Sequence[Json], command: Sequence[Json] = ()) -> frozenset[int]:
    """Return the indices of the arguments that are a credential because of the arguments before them.

    These are the value of an option such as ``--password``, and passwords of known clients, as in
    ``redis-cli -a word``. ``command`` has the arguments before the first.
    """
    every = (*command, *arguments)
    options = [isinstance(each, str) and each.startswith("-") for each in every]
    found = {
        index
        for index in range(1, len(every))
        if options[index - 1]
        and "=" not in str(every[index - 1])
        and names_credential(str(every[index - 1]).lstrip("-"))
        and is_credential_value(every[index])
        and not _ANOTHER_OPTION.fullmatch(str(every[index]))
    }
    # Each argument as one word of a line, which the forms of commands are about.
    words = [_BETWEEN_WORDS.sub("_", each) or '""' if isinstance(each, str) else "_" for each in every]
    line = f" {' '.join(words)}"
    if _may_have_command(line.lower()):
        starts = [*accumulate((len(each) + 1 for each in words), initial=1)]
        found.update(bisect_right(starts, match.start("word")) - 1 for match in _passwords(line, COMMANDS))
    return frozenset(index - len(command) for index in found if index >= len(command))


def may_quote_command(text: str) -> bool:
    """Return False if YAML or JSON surely has no command with a password that quotes spell otherwise."""
    return ("\\" in text or "''" in text) and _may_have_command(text.lower())


def _may_have_command(lowered: str) -> bool:
    for sign in _SIGNS_OF_COMMANDS:  # noqa: SIM110 - as in Form.may_be_in
        if sign in lowered:
            return True
    return False


def passwords_of_commands(text: str) -> Iterator[re.Match[str]]:
    """Yield the passwords in commands and settings, as groups ``word``."""
    return _passwords(text.replace("\\\n", "  "), (*COMMANDS, *SETTINGS))  # a line goes on in the next


def _passwords(text: str, forms: Iterable[Form]) -> Iterator[re.Match[str]]:
    lowered = text.lower()
    for form in forms:
        for found in form.pattern.finditer(text) if form.may_be_in(lowered) else ():
            if is_credential_value(found["word"]):
                yield found


def passwords_of_listed_commands(text: str) -> Iterator[re.Match[str]]:
    """Yield the passwords in commands that are lists of words in a text of YAML or JSON.

    ``credential_arguments`` is for parsed lists. A password has the same place in the text.
    """

    def in_line(found: re.Match[str]) -> str:
        element = found.lastgroup
        if element == "empty":
            return found[0]
        word = _BETWEEN_WORDS.sub("_", found[element].rstrip()) if element else ""
        before = found.start(element) - found.start() if element else 0
        return f"{' ' * before}{word}".ljust(len(found[0]))

    words = " ".join(_WORD_OF_LIST.findall(text.lower()))
    if _may_have_command(words):
        yield from _passwords(_OF_LISTS.sub(in_line, text), COMMANDS)
