# shellcheck shell=bash
# Sourced by the scripts of the action.

# A workflow may have set these to folders of the checkout, for programs of its own.
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP

# Prints a file that others have a say in, so that the runner takes no line of it for a workflow command.
print_plainly() {
  local token
  [ -s "$1" ] || return 0
  token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  printf '::stop-commands::%s\n' "$token"
  cat "$1"
  printf '\n::%s::\n' "$token"
}

# Fails where a part of the path is a symbolic link: a pull request could lead the action out of the checkout.
# Parts before the first one that does not exist count alone.
refuse_links() {
  local part parts path=""
  IFS=/ read -ra parts <<< "$1"
  for part in "${parts[@]}"; do
    path+="$part"
    if [ -L "$path" ]; then
      printf '::error title=vmrender::the path %s has a symbolic link in it; name the folder itself\n' \
        "${1//[^A-Za-z0-9._\/-]/_}"
      exit 2
    fi
    path+=/
  done
}
