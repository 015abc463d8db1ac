"""``python -m sklearn_bayeslazy``: hands over to the command line of `compare`."""

import os
import sys

from .compare._command_line import main

if __name__ == "__main__":
    # The encoding of the output may lack characters of the table's names.
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe has closed it. The interpreter flushes stdout at exit,
        # which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
