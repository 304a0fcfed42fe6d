"""The command line: what a person types, and nothing that a program could not call without it.

`app.py` knows the verbs; each verb has a file with one function, `command`, loaded when it is typed.
Results go to stdout, chatter to stderr.
"""


def main() -> None:
    """The entry point of the command `sharpen`."""
    import sys

    if sys.argv[1:2] == ["hook"]:  # an agent waits for it: before anything heavy is imported
        from sharpen.hook.run import run_if_meant

        run_if_meant(sys.argv[2:])
    import signal

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stopped either way: tidy up, say so, end
    try:
        from sharpen.cli.app import app

        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # any locale, any skill
        app(prog_name="sharpen")
    except KeyboardInterrupt:  # before there was a verb that could be stopped
        sys.exit(130)


__all__ = ["main"]
