"""`python -m sharpen`: the same as the command `sharpen`."""

from sharpen.cli import main

main()
