"""``python -m hinge`` is the command line."""

from hinge.cli import main

if __name__ == "__main__":
    main()
