"""The forms of private keys, hashes of passwords, and tokens whose issuers give them a prefix.

Hashes are known from crypt(5) of libxcrypt, RFC 3112, LDAP servers, PostgreSQL, MySQL, Windows, Apache and
GRUB.
"""

from __future__ import annotations

import re

from renderer.model.credential_text.form import Form
from renderer.model.pattern import pattern

#: A dollar, which a shell or a template may escape.
_DOLLAR = r"\\?\${1,2}"
#: The beginnings of issuers' tokens in lower case; of some only the part that is always the same.
_PREFIXES = (
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "gl", "xox", "xapp-", "akia", "asia", "abia"),
    *("acca", "aiza", "ya29.", "eyj", "k_live_", "k_test_", "npm_", "hf_", "pypi-", "dckr_", "hvs.", "hvb."),
    *("hvr.", "sg.", "sha256~", "_v1_", "shp", "atatt", "k10", "sk-", "tskey-"),
)
#: Private keys: PEM, OpenSSH, PGP, SSH2, OpenVPN, PuTTY, age.
PRIVATE_KEYS = Form(
    ("begin ", "putty-user-key-file-", "age-secret-key-1"),
    pattern(
        r"BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE|SECRET) KEY|BEGIN SSH2 ENCRYPTED PRIV|BEGIN OpenVPN Static key"
        r"|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1",
        re.IGNORECASE,
    ),
)
KEYS_AND_TOKENS = (
    PRIVATE_KEYS,
    # JSON Web Keys
    Form(
        ('"kty"',),
        pattern(
            r"\"kty\"[^{}]{0,1000}\"[dk]\"\s*:\s*\"[\w-]{8}|\"[dk]\"\s*:\s*\"[\w-]{8,4000}\"[^{}]{0,1000}\"kty\""
        ),
    ),
    # hashes of crypt(5) and of libraries that write alike
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
            re.IGNORECASE,
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
            re.MULTILINE,
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
