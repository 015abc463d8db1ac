"""Horizontal bars with a label and a number each; an extreme bar does not flatten them.

The two colours are told apart by readers with any kind of colour blindness (Okabe & Ito
2008, Color Universal Design).
"""

import numpy as np

POSITIVE, NEGATIVE, NEUTRAL = "#0072B2", "#D55E00", "#8C8C8C"
# A few bars that are longer than the next one by more than the ratio are cut. Their
# drawn length is that of the next one times the second number. At least the third
# number of bars stay uncut.
MAX_RATIO, LENGTH_OF_CUT_BARS, MIN_UNCUT_BARS = 15.0, 2.0, 2
# Inches of a new figure, of a letter of the longest label, and of a bar.
WIDTH, WIDTH_OF_LETTER, HEIGHT, HEIGHT_OF_BAR = 4.8, 0.075, 1.1, 0.3
# The part of the axis beside the bars of a side that is left for numbers.
ROOM = 0.2


def drawn_lengths(values):
    """Return the lengths at which bars are drawn, and whether each is cut.

    >>> drawn_lengths([1.0, -2.0, 50.0, -float("inf")])
    (array([ 1., -2.,  4., -4.]), array([False, False,  True,  True]))
    """
    values = np.nan_to_num(values, posinf=np.inf, neginf=-np.inf)  # no bar for ∞ - ∞
    size = np.abs(values)
    finite = np.sort(size[np.isfinite(size) & (size > 0)])[::-1]
    longest = _longest_uncut(finite, max(1, len(size) // 4))
    is_cut = size > longest
    length = LENGTH_OF_CUT_BARS * min(longest, np.finfo(float).max / 4)
    cut = np.sign(values) * length
    return np.where(is_cut, cut, values), is_cut


def _longest_uncut(sizes, most_cut):
    """Return the length of the longest bar that is not cut; sizes fall."""
    for n_cut in range(1, min(most_cut, len(sizes) - MIN_UNCUT_BARS) + 1):
        if sizes[n_cut - 1] / MAX_RATIO > sizes[n_cut]:
            return sizes[n_cut]
    return sizes[0] if len(sizes) else 1.0


def draw_bars(ax, labels, values, *, errors=None, is_base=None, bar_kw=None):
    """Draw bars from top to bottom; return axes, container and texts."""
    # ax: None for axes of a new figure. values, errors, is_base: (n_bars,). errors are
    # standard errors; bars with is_base are grey. bar_kw: keywords of `Axes.barh`.
    if ax is None:
        width = WIDTH + WIDTH_OF_LETTER * max(map(len, labels), default=0)
        ax = new_axes(figsize=(width, HEIGHT + HEIGHT_OF_BAR * len(labels)))
    values = np.asarray(values, dtype=float)
    lengths, is_cut = drawn_lengths(values)
    colors = [POSITIVE if value >= 0 else NEGATIVE for value in values]
    if is_base is not None:
        colors = [NEUTRAL if base else c for base, c in zip(is_base, colors)]
    style = {"color": colors, "height": 0.72} | (bar_kw or {})
    if errors is not None:
        style = {"xerr": errors, "error_kw": {"elinewidth": 1.0}} | style
    positions = np.arange(len(labels))
    bars = ax.barh(positions, lengths, **style)
    for bar, cut in zip(bars, is_cut):
        if cut:
            bar.set_hatch("//")
            bar.set_edgecolor("white")
    ax.set_yticks(positions, labels, parse_math=False)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.axvline(0.0, color="0.3", linewidth=0.8)
    texts = ax.bar_label(bars, list(map(number_text, values)), padding=4, fontsize=8)
    _make_room(ax, lengths, 0.0 if errors is None else np.asarray(errors, dtype=float))
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax, bars, texts


def _make_room(ax, lengths, errors):
    """Leave a part of the axis beside the bars of each side for their numbers."""
    low = min(0.0, np.min(lengths - errors, initial=0.0))
    high = max(0.0, np.max(lengths + errors, initial=0.0))
    room = ROOM * ((high - low) or 1.0)
    is_right = high > 0 or low == 0  # or all are 0
    ax.set_xlim(low - (room if low < 0 else 0), high + (room if is_right else 0))


def number_text(value):
    """Return a number with three digits, and no negative zero.

    >>> [number_text(x) for x in (-0.12345, 1234.5, -np.inf, np.nan)]
    ['-0.123', '1.23e+03', '-∞', 'undefined']
    """
    if np.isnan(value):
        return "undefined"
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.3g}"
    return "0" if float(text) == 0 else text


# New matplotlib axes; matplotlib is imported only when something is drawn.


def new_axes(**figure_kw):
    """Return axes of a new figure; an ImportError names matplotlib if it is missing."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Displays need matplotlib to draw: pip install 'sklearn-bayeslazy[plot]'."
        ) from error
    return plt.subplots(layout="constrained", **figure_kw)[1]
