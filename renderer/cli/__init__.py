"""The command line."""

from renderer.deferred import defer

# click asks `inspect` for the indentation of help texts alone, and for that would load Python's own parser,
# tokenizer and disassembler: a sixth of `import click`. `renderer.cli.command.Option` does without it until
# somebody reads the help.
defer("inspect")
