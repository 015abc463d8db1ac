"""Explanations: contributions that sum to a prediction, as a frame, plot or text."""

from ._axes import new_axes
from ._bars import draw_bars
from ._cells import Cells, format_value
from ._explanation import Explanation

__all__ = ["Cells", "Explanation", "draw_bars", "format_value", "new_axes"]
