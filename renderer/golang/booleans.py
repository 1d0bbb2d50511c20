"""The texts that Go reads as booleans: ``strconv/atob.go`` ``ParseBool``."""

TRUE = ("1", "t", "T", "true", "TRUE", "True")
FALSE = ("0", "f", "F", "false", "FALSE", "False")
