"""`python -m kbench …` is the command `kbench …`."""

from . import main

main()
