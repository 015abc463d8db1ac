"""Short for ``python -m benchmarks.accuracy out_of_the_box``, with its arguments."""

import sys

from benchmarks.accuracy.__main__ import main

if __name__ == "__main__":
    main(["out_of_the_box", *sys.argv[1:]])
