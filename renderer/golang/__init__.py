"""Behaviour of Go that other code relies on: text/template, envsubst, globs, RE2."""
