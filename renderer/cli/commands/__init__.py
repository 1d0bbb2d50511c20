"""One module for each command, and for each command of a group."""
