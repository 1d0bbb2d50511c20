"""What a password, a key or a token looks like in any text, whatever the text is part of.

A form says by itself that a text holds a credential: a user in a URL, an authorization header, a private key,
a hash of a password, a token of a known issuer. A name says that the value after it is one: ``password``,
``DB_TOKEN``, ``secret_key``.

``form``              a form, and which of the words that have it are credentials
``addresses``         the forms in URLs
``requests``          the forms in queries, headers and options
``keys_and_tokens``   the forms of private keys, hashes of passwords and tokens of issuers
``commands``          commands with a password, as lines and as lists of arguments
``settings``          settings of clients, servers and installers with a password
``names``             names whose value is a credential
``kernel_arguments``  arguments of a kernel with a password
``search``            all forms: whether a text has one, and the text without its credentials
"""
