"""What a password, a key or a token looks like in any text: the one table of forms and of names.

A form says by itself that a text holds a credential: a user in a URL, an authorization header, a private key,
a hash of a password, a token of a known issuer. A name says that the value after it is one: ``password``,
``DB_TOKEN``, ``secret_key``. Hashes are known from crypt(5) of libxcrypt, RFC 3112, LDAP servers,
PostgreSQL, MySQL, Windows, Apache and GRUB.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, islice

from renderer.kubevirt.facts.placeholders import PLACEHOLDER_WORD, has_placeholder
from renderer.model.kube.encryption import is_ciphertext
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.record import Record

_IGNORE_CASE = re.IGNORECASE
_MULTILINE = re.MULTILINE
#: What follows the @ of an image or a package is a digest or a version, and what follows a colon a port.
_NOT_A_HOST = r"(?!sha\d{3}:|v?\d+(?:\.\d+){0,2}(?![\w.]))"
_NOT_A_PORT = r"(?!\d{1,5}(?:[/?#\"',;\s\\]|$))"
#: Before an address of mail.
_MAIL = r"(?:mail(?:to)?|e-?mail|contact|sips?|xmpp|acct|from|to|cc|bcc|by|owner|author|maintainer)"
_DOLLAR = r"\\?\${1,2}"
#: Between the name of a header and its value; the schemes of authorization; and settings of this name.
_IS = r"\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?"
_SCHEME = (
    r"(?:basic|bearer|digest|negotiate|ntlm|token|oauth|hawk|signature|mac|api-?key|key|jwt|bot|splunk|ssws|dpop"
    r"|googlelogin|shared\w{3,9}|aws4?(?:-[\w-]{1,30})?)"
)
_NO_HEADER = (
    "(?:enabled|disabled|required|optional|supported|simple|external|custom|rbac|none|null|true|false|yes|no|on"
    "|off)"
)


class Form(Record):
    """A form, with the ``word`` that is the credential where a placeholder may be in its place.

    What is masked is the word, or a group ``whole`` around it, of which other parts may be confidential, too.
    What has the form has one of the ``signs``, in any case. Most texts have none, and cost a few look-ups;
    the pattern is compiled for the first text that has one.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]

    def may_be_in(self, lowered: str) -> bool:
        """Return True if a text in lower case has one of the signs."""
        for sign in self.signs:  # noqa: SIM110 - half the time of any() for all the texts of a fleet
            if sign in lowered:
                return True
        return False


#: The beginnings of issuers' tokens in lower case; of some only the part that is always the same.
_PREFIXES = (
    *(
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "gl",
        "xox",
        "xapp-",
        "akia",
        "asia",
        "abia",
        "acca",
    ),
    *("aiza", "ya29.", "eyj", "k_live_", "k_test_", "npm_", "hf_", "pypi-", "dckr_", "hvs.", "hvb.", "hvr."),
    *("sg.", "sha256~", "_v1_", "shp", "atatt", "k10", "sk-", "tskey-"),
)
#: Credentials in addresses, each with what its line has: the forms are slow, and keys have comments such as
#: ``user@host``.
IN_ADDRESSES = (
    # scheme://user:password@host; a password may have slashes, but none after an @
    (
        "://",
        pattern(
            rf"://(?P<whole>[^\s/?#@:\"'<>\\]{{0,200}}:{_NOT_A_PORT}"
            r"(?=[^\s@<>]{0,500}@)"  # for speed: most have no @
            r"(?P<word>(?:[^\s@\"<>]|\"(?![,:}\]])){0,500}(?:@[^\s@/?#,\"'<>\\]{1,200}){0,3}))"
            rf"@{_NOT_A_HOST}(?=\S)"
        ),
    ),
    # scheme://user@domain:password@host
    (
        "://",
        pattern(
            rf"://(?P<whole>[^\s/?#@:\"'<>\\]{{1,200}}@[^\s/?#@:\"'<>\\]{{1,200}}:{_NOT_A_PORT}"
            rf"(?P<word>[^\s/?#@\"'<>\\]{{0,200}}))@{_NOT_A_HOST}(?=\S)"
        ),
    ),
    # scheme://token@host; in ssh and its like, a short user is a name
    (
        "://",
        pattern(
            r"(?<![\w+.-])(?!(?:\w{1,9}\+)?(?:ssh|sftp|scp|rsync|svn)://[^\s/@]{0,19}@)[a-z][\w+.-]{0,30}://"
            rf"(?!(?:git|hg|anonymous)@)(?P<word>[^\s/?#@:\"'<>\\]{{1,500}})@{_NOT_A_HOST}(?=[\w\[(%${{])",
            _IGNORE_CASE,
        ),
    ),
    # user:password@host and user:password@tcp(host), with or without scheme:
    (
        "@",
        pattern(
            rf"(?<![\w.+/@%$-])(?!{_MAIL}:)(?P<whole>[\w.+%$-]{{1,64}}:"
            rf"(?P<word>[^\s@/\"'{{}}\[\](),;<>]{{1,200}}))@{_NOT_A_HOST}"
            r"(?=(?:tcp|unix)?\(|[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){0,20}(?::\d+)?(?:[/?\s\"',;]|$))",
            _IGNORE_CASE,
        ),
    ),
    # jdbc:oracle:thin:user/password@…, user/password@//host
    (
        "@",
        pattern(
            r"\boracle:\w{1,9}:[^\s/@]{1,64}/(?P<word>[^\s@]{1,200})@"
            r"|(?<![\w$/])[\w$]{1,64}/[^\s@/\"'$]{1,200}@(?://|\()"
        ),
    ),
    # netroot=iscsi:user:password:user:password@host of dracut.cmdline(7)
    ("iscsi:", pattern(r"\biscsi:(?P<word>[^\s/@\"'<>][^\s@\"'<>]{0,500})@(?=\S)")),
    (
        "://",
        pattern(
            r"://[^\s\"'<>]{0,300}?/(?:tokens?|secrets?|passw(?:or)?ds?|api[-_]?keys?)[/=]"
            r"(?P<word>[^\s/\"'<>?#]{6,500})",
            _IGNORE_CASE,
        ),
    ),
)
#: Credentials in requests.
IN_REQUESTS = (
    # a token in a query or in a path, and the addresses of webhooks
    Form(
        ("=",),
        pattern(
            r"(?:[?&;]|(?<=[^\s#])#)[\w.-]{0,40}?(?:token|sig(?:nature)?|secret|pass(?:w(?:or)?d)?|pwd"
            r"|(?:api|access)[-_]?key|auth|jwt|credentials?|code|key)=(?P<word>[^\s&\"'<>#]{4,2000})",
            _IGNORE_CASE,
        ),
    ),
    Form(
        ("slack.com/", "discord", "webhook.office.com/", "telegram.org/", "ifttt.com/", "hc-ping.com/"),
        pattern(
            r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/"
            r"|webhook\.office\.com/|api\.telegram\.org/(?:file/)?bot\d|maker\.ifttt\.com/[^\s]{1,99}/key/"
            r"|hc-ping\.com/)(?P<word>\S{6,500})",
            _IGNORE_CASE,
        ),
    ),
    # Authorization: word, with or without a scheme, and its parameters
    Form(
        ("authorization",),
        pattern(
            rf"(?:(?-i:A)uthorization{_IS}|authorization{_IS}(?!(?-i:[a-z]{{1,12}})(?![^\s\"'])))"
            rf"(?!{_NO_HEADER}(?![^\s\"',;])|{_SCHEME}[ \t]*(?:[\"'\n,;]|$))(?:{_SCHEME}[ \t]++)?+"
            r"(?P<whole>(?P<word>[^\s\"'#|>&*{\[$<%](?:[^\s\"'=]|=(?!\\?[\"'])){3,4000}+)"
            r"(?:[^\n\"'=]|=[ \t]*(?:\\?[\"'][^\"'\n]{0,500}+[\"']?)?)*+)",
            _IGNORE_CASE,
        ),
    ),
    # Authorization: scheme word, X-Auth-Token: word, Bearer word
    Form(
        ("authorization",),
        pattern(
            r"authorization\\?[\"']?[ \t]*[:=,][ \t]*\\?[\"']?[a-z][\w-]{0,40}[ \t]+"
            r"(?P<word>[^\s\"']{4,4000})",
            _IGNORE_CASE,
        ),
    ),
    Form(
        ("x-", "private-", "job-", "deploy-", "api-"),
        pattern(
            r"(?<![\w-])(?:x-(?:[\w-]{1,40}-)?|private-|job-|deploy-|api-)(?:token|key|secret|password|auth)"
            r"\\?[\"']?[ \t]*:[ \t]*\\?[\"']?(?P<word>[^\s\"']{4,4000})",
            _IGNORE_CASE,
        ),
    ),
    # --password=word
    Form(
        ("--",),
        pattern(
            r"(?<![\w-])--[\w-]{0,40}?(?:password|passwd|passphrase|token|client-?secret|api-?key)="
            r"(?!true\b|false\b)[\"']?(?P<word>[^\s\"',;]{1,2000})",
            _IGNORE_CASE,
        ),
    ),
    Form(
        ("bearer", "basic", "negotiate"),
        pattern(
            r"\b(?:bearer|basic|negotiate)[ \t]+(?=[^\s\"']{0,400}[0-9=_.])(?P<word>[\w.~+/=-]{16,4000})",
            _IGNORE_CASE,
        ),
    ),
)
#: A header as one text, and the names of those that surely have no credential.
_HEADER = pattern(r"\s*(?P<name>[^\s:]{1,200})\s*:\s*(?P<word>\S.*)", re.DOTALL)
_PUBLIC_HEADERS = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection"),
        *("content-type", "date", "expect", "from", "host", "if-match", "if-modified-since", "if-none-match"),
        *("if-range", "if-unmodified-since", "metadata-flavor", "origin", "pragma", "range", "referer", "te"),
        *("user-agent", "x-ms-version"),
    }
)
#: All forms, except those in addresses.
FORMS = (
    *IN_REQUESTS,
    # private keys: PEM, OpenSSH, PGP, SSH2, OpenVPN, PuTTY, age, JSON Web Keys
    Form(
        ("begin ", "putty-user-key-file-", "age-secret-key-1"),
        pattern(
            r"BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE|SECRET) KEY|BEGIN SSH2 ENCRYPTED PRIV|BEGIN OpenVPN Static key"
            r"|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1",
            _IGNORE_CASE,
        ),
    ),
    Form(
        ('"kty"',),
        pattern(
            r"\"kty\"[^{}]{0,1000}\"[dk]\"\s*:\s*\"[\w-]{8}|\"[dk]\"\s*:\s*\"[\w-]{8,4000}\"[^{}]{0,1000}\"kty\""
        ),
    ),
    # hashes of crypt(5) and of libraries that write alike; a shell or a template may escape the dollars
    Form(
        ("$",),
        pattern(
            rf"{_DOLLAR}(?:[1-9]|2[abxy]?|y|gy|sm3y?|sha\d{{1,3}}|md5|apr1|nt|argon2(?:id?|d)|p?bkdf2[\w-]{{0,20}}"
            rf"|s?crypt|bcrypt[\w-]{{0,20}}|[PHSA])(?:,[\w=,]{{1,60}})?{_DOLLAR}(?P<word>[./\w$=,+\\-]{{8,500}})"
        ),
    ),
    Form(
        ("{",),
        pattern(
            r"\{(?:S?SHA-?\d{0,3}|S?MD[245]|CRYPT|PBKDF2[\w-]{0,20}|ARGON2\w{0,2}|BCRYPT|NS-MTA-MD5|X-[\w-]{1,30}"
            r"|CLEAR(?:TEXT)?|PLAIN(?:TEXT)?|NTLM|LANMAN|SMBMD[45]|PKCS5S2)\}(?P<word>[^\s{}\"']{4,500})",
            _IGNORE_CASE,
        ),
    ),
    Form(
        ("*", "scram-sha-", "md5", "grub.pbkdf2."),
        pattern(
            r"(?<![\w*])\*[0-9A-F]{40}(?!\w)|SCRAM-SHA-\d{1,3}\$\d{1,9}:\S{8}|(?<!\w)md5[0-9a-f]{32}(?!\w)"
            r"|grub\.pbkdf2\.sha\d{1,3}\.\d{1,9}\.\w{8}"
        ),
    ),
    Form((":",), pattern(r":(?<=\b[0-9a-fA-F]{32}:)[0-9a-fA-F]{32}\b")),  # a colon is found fast
    # DES after the name of a user, also as extended by BSDi
    Form(
        (":",),
        pattern(
            r"^[ \t]*[\"']?[\w.-]{1,64}:(?P<word>(?=[./\w]{0,12}[a-z])(?=[./\w]{0,12}[A-Z])[./0-9A-Za-z]{13}"
            r"|_[./0-9A-Za-z]{19})(?=:|[\"']?\s*$)",
            _MULTILINE,
        ),
    ),
    # tokens of issuers who give them a prefix
    Form(
        _PREFIXES,
        pattern(
            r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16}|github_pat_\w{20}|gl[a-z]{2,5}-[\w-]{20}"
            r"|xox[a-z]-[\w-]{10}|xapp-[\w-]{16}|A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}|AIza[\w-]{30}|ya29\.[\w-]{20}"
            r"|eyJ[\w-]{10,500}\.[\w-]{10}|[srp]k_(?:live|test)_\w{10}|npm_\w{30}|hf_\w{20}|pypi-[\w-]{40}"
            r"|dckr_[po]at_[\w-]{20}|hv[sbr]\.[\w-]{20}|SG\.[\w-]{16,99}\.[\w-]{16}|sha256~[\w-]{40}"
            r"|do[opr]_v1_\w{40}|shp\w{2}_\w{20}|ATATT\w{20}|K10[0-9a-f]{20,128}::\w{1,20}:\S"
            r"|sk-(?:ant-|proj-)[\w-]{20}|tskey-[\w-]{16})"
        ),
    ),
)
#: Clients with an option for a password: signs of them, the beginning of a command, and the option.
_CLIENTS = (
    (("redis-cli",), "redis-cli", "-a"),
    (("mongo", "useradd", "usermod", "psexec"), r"(?:mongo\w*|useradd|usermod|psexec\d*)", "-p"),
    (("login",), r"(?:docker|podman|oc|helm|skopeo|buildah|nerdctl|az)\s[^\n|;&]{0,40}?login", "-p"),
    (("ldap",), "ldap(?:search|add|modify|delete|passwd|whoami)", "-w"),
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
    (("vault",), "vault", "login"),
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
            _IGNORE_CASE,
        ),
    ),
    # user%password, user/password@host and /p:password
    Form(
        ("smb", "winexe", "rpcclient", "wmic"),
        pattern(
            r"\b(?:smb\w{1,20}|winexe|rpcclient|wmic)\b[^\n|;&]{0,200}?\s-U\s*[^\s%]{1,99}%[\"']?(?P<word>[^\s\"']+)"
        ),
    ),
    Form(("smbclient",), pattern(r"\bsmbclient\s+//\S{1,200}\s+[\"']?(?P<word>[^\s\"'$-][^\s\"']*)")),
    Form(
        ("sqlplus",),
        pattern(r"\bsqlplus\s{1,9}(?:-\w{1,20}\s{1,9}){0,9}[^\s/\"']{1,99}/[\"']?(?P<word>[^\s@\"'/]+)"),
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
        ("net",), pattern(r"\bnet\s+use\s[^\n|;&]{0,99}?\\\\\S{1,200}\s+(?P<word>[^\s/*]\S*)", _IGNORE_CASE)
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
            _IGNORE_CASE,
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
    Form(("lftp",), pattern(r"\blftp\s+-u\s*[^\s,]{1,99},(?P<word>\S+)")),
    Form(("pass:",), pattern(r"\s-pass(?:in|out)?\s+pass:(?P<word>[^\s\"']+)")),
    Form(
        ("securestring",),
        pattern(
            r"ConvertTo-SecureString\s+(?:-String\s+)?[\"'](?P<word>[^\"'$]+)[\"']",
            _IGNORE_CASE,
        ),
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
    Form(("net",), pattern(r"\bnet1?(?:\.exe)?\s+user\s+\S+\s+(?P<word>[^\s/*]\S*)", _IGNORE_CASE)),
)
#: Settings of clients, servers and installers that hold a password.
SETTINGS = (
    Form(
        ("bindpw",),
        pattern(r"^[ \t]*(?:root)?bindpw(?:[ \t]{1,40}|[ \t]{0,40}[:=][ \t]{0,40})(?P<word>\S+)", _MULTILINE),
    ),
    # a variable whose name ends with the word, such as DBPASS
    Form(
        ("pass", "pwd"),
        pattern(
            r"(?<![\w.-])(?!old)[a-z]\w{0,60}(?:(?<!by)(?<!com)(?<!over)(?<!under)pass|pwd)\s{0,9}=\s{0,9}"
            r"[\"']?(?P<word>[^\s\"'$;]+)",
            _IGNORE_CASE,
        ),
    ),
    # the answers of installers, and the settings of servers, routers and switches
    Form(
        (
            *("rootpw", "d-i", "requirepass", "masterauth", "rocommunity", "rwcommunity"),
            *("enable", "username", "createuser", "set"),
        ),
        pattern(
            r"^[ \t]*(?:rootpw(?:\s+--\w+)*|d-i\s+passwd/(?=\S*password)\S++\s+password"
            r"|requirepass|masterauth|r[ow]community6?|(?:enable|username\s+\S+)\s+(?:secret|password)\s+\d+"
            r"|set\s+\S*(?:password|passwd|secret)\s+ENC|createUser\s+\S+\s+(?:MD5|SHA\S*))"
            r"\s+(?P<word>[^\s-]\S*)",
            _MULTILINE,
        ),
    ),
    Form(("encrypted-password",), pattern(r"\bencrypted-password\s+\"?(?P<word>[^\s\"]+)")),
    Form(("secret",), pattern(r"\bsecret\s+\"(?P<word>[^\"\n]+)\"\s*;")),
    Form(("key",), pattern(r"^[ \t]*key\s*=\s*(?P<word>[A-Za-z0-9+/]{20,99}={1,2})\s*$", _MULTILINE)),
    # define('DB_PASSWORD', 'word') and <add key="Password" value="word"/>
    Form(
        ("define",),
        pattern(
            r"\bdefine\(\s*[\"']\w*(?:PASS(?:WORD|WD|PHRASE)?|SECRET|TOKEN|_KEY|SALT)[\"']\s*,"
            r"\s*[\"'](?P<word>[^\"'\n]+)"
        ),
    ),
    Form(
        ("value",),
        pattern(
            r"\b(?:key|name)\s*=\s*\"[^\"\n]{0,99}(?:password|passwd|secret|token)\"\s+value\s*=\s*"
            r"\"(?P<word>[^\"\n]+)\"",
            _IGNORE_CASE,
        ),
    ),
    Form(("login",), pattern(r"\blogin\s+\S+\s+password\s+(?P<word>\S+)")),
    Form(
        (":",),
        pattern(
            r"^[ \t]*[^\s:]{1,99}:(?:\d{1,5}|\*):[^\s:]{1,99}:[^\s:]{1,99}:(?P<word>[^\s:]+)[ \t]*$",
            _MULTILINE,
        ),
    ),
)

_KEYS = (
    "access|account|activation|api|app|auth|bearer|deploy|encryption|license|master|preshared|private|product"
    "|registration|secret|session|shared|signing|storage|subscription|validation|webhook"
)
#: The end of a name whose value is a credential. ``existingSecret`` and ``pullSecret`` name a Secret.
CREDENTIAL_NAME = Form(
    (
        *(
            "pass",
            "pw",
            "psk",
            "secret",
            "token",
            "credential",
            "key",
            "authorization",
            "cookie",
            "jwt",
            "bearer",
        ),
        *("connection", "sig", "dsn"),
    ),
    pattern(
        r"(?:(?i:pass(?:word|wd|phrase|code)s?|(?:client|shared|app|consumer|webhook)[-_.]?secret|token|credentials?"
        rf"|(?:{_KEYS})[-_. ]?keys?(?:[-_]?id)?|authorization|cookie|jwt|bearer|connection[-_]?string"
        r"|(?:^|[-_.])(?:pass|sshpass|rootpw|sshpw|pw|pwd|psk|sig|signature|dsn|secrets?|tokens))|[a-z](?:Pass|Pwd|Psk|Pw|Dsn))"
        r"(?i:[-_.]?(?:base64|b64|hash|plain|value|\d{1,3}))?$"
    ),
)
#: Names that only end like one: the working directory, numbers of tokens, switches.
_OTHER_NAME = pattern(r"(?i)(?:old)?pwd|(?:max|min|num)\w*tokens?|no\W?passw\w*|(?:un)?lock_passwd")
_LONGEST_NAME, _LONGEST_VALUE = 200, 10_000
#: An argument of a kernel with a password or a token: of iSCSI, of an installer, of systemd; and data for
#: cloud-init (``read_cc_from_cmdline`` in ``cloudinit/util.py``).
_KERNEL_ARGUMENTS = (
    pattern(
        r"(?:passw(?:or)?d|rootpw|sshpw|token|secret|psk|credential)\w{0,40}=(?P<word>\"[^\"]*\"|\S+)",
        _IGNORE_CASE,
    ),
    pattern(
        r"(?<!\S)cc:(?=\s{0,40}(?:[{%\\]|[\w-]{1,80}:)|[^\n]{0,1000}?end_cc)"
        r"(?P<word>\s{0,40}[^\s](?:(?!end_cc)[^\n])*)"
    ),
)
#: ``name: value``, ``name=value``, ``"name": "value"``, in any text.
_ASSIGNMENT = pattern(
    r"(?<![\w.-])(?P<name>[\w.-]{1,80})\\?[\"']?\]?[ \t]{0,40}(?:=>|:=|=|:)[ \t]{0,40}\\?[\"']?"
    r"(?P<word>[^\s\"',;}\]\\][^\s\"',;}\]]*)"
)
#: An argument that is another option, and not the value of the one before it.
_ANOTHER_OPTION = pattern(r"--[\w-]+|--?[\w-]+=.*|-\w", re.DOTALL)
#: What ends a word or a command in a line of a shell, and is part of a word in a list.
_BETWEEN_WORDS = pattern(r"[\s\"'|;&]")
#: The first word of each element of a list in YAML or JSON, in lower case.
_WORD_OF_LIST = pattern(r"(?:[\[,]|^[ \t]{0,200}-)[\s-]{0,200}[\"']?([^\s,\[\]\"']{1,100})", _MULTILINE)
#: An element of a list in YAML or JSON, in quotes or on a line of its own, and the punctuation of a list.
_OF_LISTS = pattern(
    r"(?P<empty>\"\"|'')|\"(?P<double>[^\"\n]{1,250})\"|'(?P<single>[^'\n]{1,250})'"
    r"|[\[\],](?:[ \t\r]{0,200}\n)?"
    r"|\n[ \t]{0,200}(?:-[ \t]{1,20}){1,9}(?P<plain>[^\s\[{\"'][^\n]{0,250})?"
)
_SIGNS_OF_COMMANDS = tuple(dict.fromkeys(sign for command in COMMANDS for sign in command.signs))
#: ``--password value``.
_OPTION = pattern(
    r"(?<![\w-])--?(?P<name>[\w-]{1,60})(?:[ \t]{1,40}|[\"']\s{0,40},\s{0,40})[\"']?"
    r"(?P<word>[^\s\"'-][^\s\"']*)"
)
#: ``<name>value</name>``, ``<Password><Value>value``, ``<name><![CDATA[value]]>``.
_ELEMENT = pattern(
    r"<(?:\w{1,20}:)?(?P<name>[\w.-]{1,60})(?:\s[^<>]{0,200})?>\s*+(?:<(?:\w{1,20}:)?(?i:value|string)>\s*+)?"
    r"(?:<!\[CDATA\[\s*+)?(?P<word>[^<\s][^<]{0,200})<"
)
#: Texts that stand for a value: variables of shells, of Kubernetes and of templates, references, paths.
_REFERENCE = pattern(
    r"\$\w+|\$\([^()]*\)|%\(?\w+\)?[s%]?|\{[\w.]+\}|<[^<>]*>|(?:ref\+|vault:|env:|file:|secretref:|arn:).*"
    r"|(?:/[\w.-]+){2,}/?|null|none|nil|true|false|yes|no|on|off|~|[|>][-+]?|[*!]{1,2}|\W{1,3}",
    _IGNORE_CASE,
)


def credential_forms(text: str) -> Iterator[re.Match[str]]:
    """Yield the first place of each form of a credential in a text.

    What is encrypted, or put in later, does not count.
    """
    lowered = text.lower()
    for sign, address in IN_ADDRESSES:
        yield from islice(filter(_is_written, _in_lines_with(sign, address, text)), 1)
    for form in FORMS:
        if form.may_be_in(lowered):
            yield from islice(filter(_is_written, form.pattern.finditer(text)), 1)


def kernel_credentials(arguments: str) -> Iterator[re.Match[str]]:
    """Yield the passwords and tokens in arguments for a kernel, as groups ``word``."""
    found = (each for argument in _KERNEL_ARGUMENTS for each in argument.finditer(arguments))
    return filter(_is_written, found)


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
        and names_credential(str(every[index - 1]))
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


def without_credentials(
    text: str, mask: Callable[[str], str], *, of_kernel: bool = False, of_command: bool = False
) -> str:
    """Return a text with a mask for each credential of an address or a request in it.

    ``of_kernel``: the text has arguments for a kernel, whose passwords and tokens are masked as well.
    ``of_command``: it is a command, or an argument of one, and so are the values of its options.
    """
    lowered = text.lower()
    found = [match for sign, address in IN_ADDRESSES for match in _in_lines_with(sign, address, text)]
    for form in IN_REQUESTS:
        if form.may_be_in(lowered):
            found += form.pattern.finditer(text)
    if of_kernel:
        found += kernel_credentials(text)
    if of_command:
        found += (*named_credentials(text), *passwords_of_commands(text))
    places: list[tuple[int, int]] = []
    for start, end in sorted(map(_place_of_credential, filter(_is_written, found))):
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    parts: list[str] = []
    done = 0
    for start, end in places:
        parts += (text[done:start], mask(text[start:end]))
        done = end
    return "".join((*parts, text[done:])) if parts else text


def without_value_of_header(text: str, mask: Callable[[str], str]) -> str:
    """Return a header with a mask for its value, unless its name says that there is no credential in it."""
    found = _HEADER.fullmatch(text)
    if not found or found["name"].lower() in _PUBLIC_HEADERS or not _is_written(found):
        return text
    return text[: found.start("word")] + mask(found["word"])


def _place_of_credential(found: re.Match[str]) -> tuple[int, int]:
    """Return the place of what is masked of a form: of a group, or of the form if it has none."""
    groups = found.groupdict()
    return next((found.span(name) for name in ("whole", "word") if groups.get(name)), found.span())


def _in_lines_with(sign: str, form: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the places of a form in the lines that have a sign."""
    found = text.find(sign)
    while found >= 0:
        start, end = text.rfind("\n", 0, found) + 1, text.find("\n", found)
        end = len(text) if end < 0 else end
        yield from form.finditer(text, start, end)
        found = text.find(sign, end)


def _is_written(found: re.Match[str]) -> bool:
    """Return True if a form has its credential, neither encrypted nor put in later."""
    word = found.groupdict().get("word")
    return word is None or not _is_put_in_later(word)


def may_be_credential(text: str) -> bool:
    """Return False if a text surely has no form of a credential, and no command with a password."""
    lowered = text.lower()
    return any(form.may_be_in(lowered) for form in (*FORMS, *COMMANDS, *SETTINGS))


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


def named_credentials(text: str) -> Iterator[re.Match[str]]:
    """Yield the assignments, options and elements of a text that give a credential its value."""
    if not CREDENTIAL_NAME.may_be_in(text.lower()):
        return
    for kind in (_ASSIGNMENT, _OPTION, _ELEMENT):
        for found in kind.finditer(text):
            if names_credential(found["name"]) and is_credential_value(found["word"]):
                yield found


def names_credential(name: str) -> bool:
    """Return True for the name of a field, variable or option whose value is a credential."""
    return (
        len(name) <= _LONGEST_NAME
        and CREDENTIAL_NAME.may_be_in(name.lower())
        and CREDENTIAL_NAME.pattern.search(name) is not None
        and _OTHER_NAME.fullmatch(name) is None
    )


def is_credential_value(value: Json) -> bool:
    """Return True for a value that, after a name that says so, is a credential."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    text = str(value).strip()
    return bool(text) and not _is_put_in_later(text) and not _REFERENCE.fullmatch(text[:_LONGEST_VALUE])


def _is_put_in_later(word: str) -> bool:
    """Return True for ciphertext and for a placeholder, of which a word may be the beginning."""
    return (
        is_ciphertext(word)
        or PLACEHOLDER_WORD in word
        or has_placeholder(word)
        or word.startswith(("{{", "${", "$(", "ENC["))
    )
