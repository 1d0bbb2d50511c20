"""What exists only because Go behaves so: text/template, envsubst, globs, RE2."""
