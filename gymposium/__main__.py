"""``python -m gymposium``: the command line without the console script."""

from gymposium.cli import main

main()
