"""The command line."""

import gc

from renderer import importer
from renderer.deferred import defer

#: New objects before Python looks for cycles among them. A run keeps most of what it makes until its end, and
#: looking through all of that again and again would cost a third of the time; so would what is imported. The
#: few cycles that there are hold nothing large: as much memory is taken as with a tenth of this.
COLLECT_AFTER = 1_000_000
gc.set_threshold(COLLECT_AFTER)
importer.install()

# click asks `inspect` for the indentation of help texts alone, and for that would load Python's own parser,
# tokenizer and disassembler: a sixth of `import click`. `renderer.cli.command.Option` does without it until
# somebody reads the help.
defer("inspect")
# `shutil` looks if they are there, for archives, and then drops them.
defer("bz2")
defer("lzma")
# `urllib.parse`, which `pathlib` takes a function of, needs it for addresses of IPv6 alone.
defer("ipaddress")
