"""How much is read of a file that may be hostile; far more than any Kubernetes object needs."""

#: Bytes of a file.
MAX_FILE_SIZE = 32 * 1024 * 1024

#: Documents in a file.
MAX_DOCUMENTS = 20_000

#: Mappings and sequences within each other.
MAX_DEPTH = 100

#: Values that the aliases of one document stand for, all told.
MAX_ALIASED_VALUES = 200_000

#: Characters of a malformed document that the slow parser is asked about.
MAX_SECOND_READING = 200_000
