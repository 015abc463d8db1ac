"""A million vectors with the local structure of real data: patches of small images.

A patch is a window of 8 by 16 pixels of an image of Fashion-MNIST. Its 128 pixels, less
their mean, are divided by their length, as is usual in statistics of patches (Lee,
Pedersen and Mumford 2003). Windows of little contrast are left out: most of them show
the background alone.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.speed.hashing import images

HEIGHT, WIDTH = 8, 16
N_COLUMNS = HEIGHT * WIDTH
# The smallest standard deviation of the pixels of a patch, which are 0 to 255.
_MIN_CONTRAST = 16.0
_WINDOWS_PER_BLOCK = 2**16


def patches(part, n_patches, seed=0):
    """Return patches of random windows of images, each window at most once.

    Parameters
    ----------
    part : {"train", "t10k"}
    n_patches : int
    seed : int, default=0

    Returns
    -------
    float32 array of shape (n_patches, 128)
    """
    pixels = images(part).astype(np.uint8).reshape(-1, 28, 28)
    windows = sliding_window_view(pixels, (HEIGHT, WIDTH), axis=(1, 2))
    shape = windows.shape[:3]
    order = np.random.default_rng(seed).permutation(np.prod(shape))
    X = np.empty((n_patches, N_COLUMNS), dtype=np.float32)
    n_filled = 0
    for start in range(0, len(order), _WINDOWS_PER_BLOCK):
        chosen = np.unravel_index(order[start : start + _WINDOWS_PER_BLOCK], shape)
        some = normalized(windows[chosen].reshape(-1, N_COLUMNS))
        some = some[: n_patches - n_filled]
        X[n_filled : n_filled + len(some)] = some
        n_filled += len(some)
        if n_filled == n_patches:
            return X
    raise ValueError(f"the images have only {n_filled} patches of enough contrast.")


def normalized(pixels):
    """Return the rows of enough contrast, less their mean and of length 1."""
    X = pixels - pixels.mean(axis=1, keepdims=True, dtype=np.float32)
    lengths = np.linalg.norm(X, axis=1)
    enough = lengths >= _MIN_CONTRAST * np.sqrt(X.shape[1])
    return X[enough] / lengths[enough, None]
