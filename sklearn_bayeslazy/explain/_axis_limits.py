"""Limits of the y axis that leave out a few extreme points, and count them."""

import numpy as np


def leave_out_extremes(ax, points, kept, max_ratio, noun):
    """Limit the y axis to some values if the points would flatten them."""
    # points: (n_points,), heights of all points; those that are not finite are not
    # counted. kept: (n_kept,), heights that must stay visible, among them curves and
    # bands; NaN is ignored. max_ratio: the axis is limited if the range of the points
    # exceeds that of `kept` by this factor. noun: what a point is. Returns the Text
    # that counts the points outside, or None if the axis is unchanged.
    points, kept = points[np.isfinite(points)], kept[np.isfinite(kept)]
    low, high = np.min(kept), np.max(kept)
    if low == high or np.ptp(points) <= max_ratio * (high - low):
        return None
    margin = 0.2 * (high - low)
    low, high = low - margin, high + margin
    ax.set_ylim(low, high)
    n_outside = int(np.sum((points < low) | (points > high)))
    return ax.text(
        0.98,
        0.02,
        f"{n_outside} {noun}{'s' if n_outside > 1 else ''} outside",
        transform=ax.transAxes,
        ha="right",
        fontsize="small",
    )
