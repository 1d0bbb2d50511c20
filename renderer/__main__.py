"""``python -m renderer``."""

from renderer.cli.app import main

if __name__ == "__main__":
    main()
