"""The command line: what a person types, and nothing that a program could not call without it.

`app.py` knows the verbs; each verb has a file with one function, `command`, loaded when it is typed.
Results go to stdout, chatter to stderr.
"""


def main() -> None:
    """The entry point of the command `sharpen`."""
    import sys

    from sharpen.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # any locale can show any skill
    app(prog_name="sharpen")


__all__ = ["main"]
