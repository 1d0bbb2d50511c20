"""``python -m tests.fuzz.guided TARGET SECONDS``: inputs guided by coverage (atheris).

Inputs that reach new code are kept and changed further, in this run and in the next. The process ends with a
status other than 0 at the first failure; ``python -m tests.fuzz`` starts it and shows that failure.
"""

from __future__ import annotations

import os
import random
import sys

import atheris

from tests.fuzz.fuzzing import KEPT, Fuzzing, kept_failures
from tests.fuzz.target import target

#: The code that guides the inputs: ours, and the reader of templates.
_STEERING = ["renderer", "jinja2"]
#: Bytes of the longest input; hypothesis makes a project of each.
_MAX_BYTES = 3000
#: Inputs to begin with: what follows is made of these.
_BEGINNINGS = (200, 600, 1500) * 20
#: Inputs that are tried before any are steered, so that the modules that they need are loaded.
_FIRST = 50
#: Inputs between two that are counted.
_COUNTED = 50


def main() -> None:
    name, seconds = sys.argv[1:]
    corpus = KEPT / name / "corpus"
    if not corpus.exists():
        corpus.mkdir(parents=True)
        chance = random.Random(name)
        for number, length in enumerate(_BEGINNINGS):
            (corpus / f"chance-{number}").write_bytes(chance.randbytes(length))
    with atheris.instrument_imports(include=_STEERING, enable_loader_override=False):
        Fuzzing(target(name), is_bounded=False).try_some(_FIRST, always_the_same=True)
    fuzzing = Fuzzing(target(name), kept_failures(name))
    steered = fuzzing.steered()

    def one(content: bytes) -> None:
        steered(content)
        if fuzzing.tried % _COUNTED == 0:
            (KEPT / name / "tried").write_text(str(fuzzing.tried), encoding="ascii")

    options = [f"-max_total_time={seconds}", f"-max_len={_MAX_BYTES}", "-len_control=0"]
    limits = ["-rss_limit_mb=0", "-timeout=60", f"-artifact_prefix={KEPT / name}{os.sep}"]
    atheris.Setup([sys.argv[0], *options, *limits, str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
