"""The one exception a user is meant to read."""


class InputError(Exception):
    """Something the user gave cannot be used: a parameter, a file, a model, a machine.

    The message is one sentence that names what was given, what is allowed and what to do. A stage
    that raises it prints that sentence, exits with code 2 and leaves every artifact as it was.
    """
