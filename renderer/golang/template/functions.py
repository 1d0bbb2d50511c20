"""The functions that templates may call: Go's own, sprig's, and the functions that Argo CD adds.

``text/template`` ``funcs.go``, Masterminds/sprig ``functions.go``, argo-cd ``applicationset/utils``. A row
gives the parameter types of a function; to add one, add a row in the module of its group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from renderer.golang.template.builtins import BUILTINS
from renderer.golang.template.collection_functions import COLLECTION_FUNCTIONS
from renderer.golang.template.encoding_functions import ENCODING_FUNCTIONS
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.number_functions import NUMBER_FUNCTIONS
from renderer.golang.template.text_functions import TEXT_FUNCTIONS

_CLOCK = "it depends on the time of day"
_RANDOM = "it returns a different result each time"
_NOT_IMPLEMENTED = "vmrender does not implement it"
_WHY_NOT: Mapping[str, tuple[str, ...]] = {
    _CLOCK: (
        *("ago", "date", "date_in_zone", "date_modify", "dateInZone", "dateModify", "durationRound"),
        *("htmlDate", "htmlDateInZone", "must_date_modify", "mustDateModify", "mustToDate", "now", "toDate"),
        *("unixEpoch", "duration"),
    ),
    _RANDOM: (
        *("randAlphaNum", "randAlpha", "randAscii", "randNumeric", "randInt", "randBytes", "shuffle"),
        *("uuidv4", "bcrypt", "htpasswd", "genPrivateKey", "genCA", "genCAWithKey", "genSelfSignedCert"),
        *("genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "encryptAES"),
    ),
    _NOT_IMPLEMENTED: (
        *("decryptAES", "derivePassword", "buildCustomCert", "semver", "semverCompare", "urlJoin"),
        *("wrap", "wrapWith", "abbrevboth", "call", "slugify"),
    ),
}


def _refusing_function(name: str, reason: str) -> Callable[..., object]:
    def refuse(*_values: object) -> object:
        raise GoTemplateError(f"the function {name} cannot be used: {reason}")

    return refuse


FUNCTIONS: Mapping[str, GoFunction] = {
    **BUILTINS,
    **TEXT_FUNCTIONS,
    **NUMBER_FUNCTIONS,
    **COLLECTION_FUNCTIONS,
    **ENCODING_FUNCTIONS,
    **{
        name: GoFunction(_refusing_function(name, reason), "", "a")
        for reason, names in _WHY_NOT.items()
        for name in names
    },
}
