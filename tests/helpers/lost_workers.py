"""Lets a worker of a cluster be lost in the middle of its work."""

import os


def end_process_once(marker):
    """End this process, unless a process has created the file `marker` before."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os._exit(1)
