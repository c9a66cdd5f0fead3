"""Run the command line with ``python -m softmargin``."""

from softmargin.cli import main

if __name__ == "__main__":
    main()
