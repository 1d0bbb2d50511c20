# shellcheck shell=bash
# Sourced by the scripts of the action.

# Prints a file that others have a say in, so that the runner takes no line of it for a workflow command.
print_plainly() {
  local token
  [ -s "$1" ] || return 0
  token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  printf '::stop-commands::%s\n' "$token"
  cat "$1"
  printf '\n::%s::\n' "$token"
}
