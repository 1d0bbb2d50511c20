"""Settings of clients, servers and installers that hold a password."""

from __future__ import annotations

import re

from renderer.model.credential_text.form import Form
from renderer.model.pattern import pattern

SETTINGS = (
    Form(
        ("bindpw",),
        pattern(
            r"^[ \t]*(?:root)?bindpw(?:[ \t]{1,40}|[ \t]{0,40}[:=][ \t]{0,40})(?P<word>\S+)", re.MULTILINE
        ),
    ),
    # a variable whose name ends with the word, such as DBPASS
    Form(
        ("pass", "pwd"),
        pattern(
            r"(?<![\w.-])(?!old)[a-z]\w{0,60}(?:(?<!by)(?<!com)(?<!over)(?<!under)pass|pwd)\s{0,9}=\s{0,9}"
            r"[\"']?(?P<word>[^\s\"'$;]+)",
            re.IGNORECASE,
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
            re.MULTILINE,
        ),
    ),
    # routers and switches, IPsec and PPP
    Form(
        ("community", "-server", "digest-key"),
        pattern(
            r"(?:snmp-server\s+community|(?:tacacs|radius)-server\s+key|message-digest-key\s+\d{1,3}\s+md5)"
            r"\s+(?:[057]\s+)?(?P<word>[^\s\"']+)"
        ),
    ),
    Form(("psk", "xauth"), pattern(r":[ \t]*(?:PSK|XAUTH)[ \t]+\"(?P<word>[^\"\n]+)\"")),
    Form(
        ("*",),
        pattern(
            r"^[ \t]*[\"']?[\w.@-]{1,60}[\"']?[ \t]+\*[ \t]+[\"']?(?P<word>[^\s\"'*]{6,99})[\"']?"
            r"[ \t]+\*[ \t]*$",
            re.MULTILINE,
        ),
    ),
    Form(("encrypted-password",), pattern(r"\bencrypted-password\s+\"?(?P<word>[^\s\"]+)")),
    Form(("secret",), pattern(r"\bsecret\s+\"(?P<word>[^\"\n]+)\"\s*;")),
    Form(("key",), pattern(r"^[ \t]*key\s*=\s*(?P<word>[A-Za-z0-9+/]{20,99}={1,2})\s*$", re.MULTILINE)),
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
            re.IGNORECASE,
        ),
    ),
    Form(("login",), pattern(r"\blogin\s+\S+\s+password\s+(?P<word>\S+)")),
    Form(
        (":",),
        pattern(
            r"^[ \t]*[^\s:]{1,99}:(?:\d{1,5}|\*):[^\s:]{1,99}:[^\s:]{1,99}:(?P<word>[^\s:]+)[ \t]*$",
            re.MULTILINE,
        ),
    ),
)
