"""ProbabilityTableDisplay: the table of one node of a belief network as a heat map."""

from itertools import product

import numpy as np

from ..tabular import import_pandas
from . import _curve_artists as artists
from ._belief_network_display import network_of

# Larger tables have a color bar instead of numbers in the cells, and the names of every
# second, third, … row or column only.
MAX_ROWS, MAX_COLUMNS = 40, 24
# The largest number of names along an axis.
MAX_NAMES = 48
# With more columns their names are vertical.
MAX_ROTATED_NAMES = 12
# Of new figures, in inches.
MAX_WIDTH, MAX_HEIGHT = 16, 12
# Of the title, in inches.
LETTER_WIDTH = 0.1
# Numbers in cells with a larger share of the color scale are white.
MAX_SHARE_OF_DARK_TEXT = 0.6


class ProbabilityTableDisplay:
    """The probabilities of a node's values for each combination of its parents'.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    table : ndarray of shape (K_1, ..., K_p, n_values)
        P(node | parents).
    name : str
        The name of the node.
    values : sequence
        The values of the node, one for each column.
    parent_names : sequence of str, default=()
    parent_values : sequence of sequences, default=()
        The values of each parent. A row stands for a combination of them.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the table.
    figure_ : matplotlib Figure
        Figure of these axes.
    image_ : matplotlib AxesImage
        The cells.
    text_ : list of matplotlib Text
        The numbers in the cells, row by row; empty for large tables.

    See Also
    --------
    BeliefNetworkDisplay : The graph.

    Examples
    --------
    >>> from sklearn_bayeslazy import BeliefNetwork, ProbabilityTableDisplay
    >>> from sklearn_bayeslazy.datasets import load_play_tennis
    >>> X, _ = load_play_tennis(return_X_y=True, as_frame=True)
    >>> model = BeliefNetwork([("outlook", "humidity")]).fit(X)
    >>> ProbabilityTableDisplay.from_estimator(model, "humidity")  # doctest: +SKIP
    """

    def __init__(self, *, table, name, values, parent_names=(), parent_values=()):
        self.table = table
        self.name = name
        self.values = values
        self.parent_names = parent_names
        self.parent_values = parent_values

    @classmethod
    def from_estimator(cls, estimator, node, *, ax=None, **plot_kw):
        """Draw the table of a node of a fitted model.

        Parameters
        ----------
        estimator : BeliefNetwork or BeliefNetworkClassifier
            Fitted.
        node : str
            The name of the node.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, large enough for the table.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        ProbabilityTableDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError, ValueError
            If it is not a belief network, or has no such node.
        """
        network = network_of(estimator)
        number = network.number_of(node, "node")
        parents = network.parents[number]
        display = cls(
            table=network.tables[number],
            name=network.names[number],
            values=network.values[number],
            parent_names=[network.names[parent] for parent in parents],
            parent_values=[network.values[parent] for parent in parents],
        )
        return display.plot(ax, **plot_kw)

    def frame(self):
        """Return the table as a pandas frame.

        Returns
        -------
        DataFrame
            A row for each combination of the parents' values, which are its index, and
            a column for each value of the node.
        """
        pd = import_pandas()
        table = np.asarray(self.table)
        index = None
        if len(self.parent_names):
            index = pd.MultiIndex.from_product(
                [list(values) for values in self.parent_values],
                names=list(self.parent_names),
            )
        columns = pd.Index(list(self.values), name=self.name)
        return pd.DataFrame(table.reshape(-1, table.shape[-1]), index, columns)

    def plot(self, ax=None, *, image_kw=None, text_kw=None):
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, large enough for the table.
        image_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.imshow` for the cells.
        text_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.text` for the numbers.

        Returns
        -------
        self : ProbabilityTableDisplay
        """
        table = np.asarray(self.table)
        cells = table.reshape(-1, table.shape[-1])
        n_rows, n_columns = cells.shape
        is_small = n_rows <= MAX_ROWS and n_columns <= MAX_COLUMNS
        if ax is None:
            width = max(2 + 0.8 * n_columns, 0.6 + LETTER_WIDTH * len(self._title()))
            size = min(width, MAX_WIDTH), min(1.2 + 0.35 * n_rows, MAX_HEIGHT)
            ax = artists.new_axes(figsize=size)
        self.ax_, self.figure_ = ax, ax.figure
        style = {"cmap": "Blues", "vmin": 0, "vmax": 1, "aspect": "auto"}
        self.image_ = ax.imshow(cells, **(style | (image_kw or {})))
        ax.set_title(self._title(), parse_math=False)
        ax.set_yticks([])
        self.text_ = []
        self._name_rows_and_columns()
        if is_small:
            self._write_numbers(cells, text_kw or {})
        else:
            self.figure_.colorbar(self.image_, ax=ax)
        return self

    def _title(self):
        given = ", ".join(map(str, self.parent_names))
        return f"P({self.name} | {given})" if given else f"P({self.name})"

    def _name_rows_and_columns(self):
        style = {"parse_math": False}  # a dollar sign in a name is not a formula
        rotation = {}
        if len(self.values) > MAX_ROTATED_NAMES:
            rotation = {"rotation": 90}
        elif len("".join(map(str, self.values))) > artists.MAX_HORIZONTAL_LETTERS // 2:
            rotation = artists.ROTATION
        self.ax_.set_xticks(*_ticks(map(str, self.values)), **style, **rotation)
        if len(self.parent_names):
            combinations = product(*self.parent_values)
            rows = (", ".join(map(str, values)) for values in combinations)
            self.ax_.set_yticks(*_ticks(rows), **style)

    def _write_numbers(self, cells, text_kw):
        is_dark = self.image_.norm(cells) > MAX_SHARE_OF_DARK_TEXT
        for (row, column), p in np.ndenumerate(cells):
            color = "white" if is_dark[row, column] else "black"
            style = {"ha": "center", "va": "center", "fontsize": 8, "color": color}
            text = self.ax_.text(column, row, f"{p:.2f}", **(style | text_kw))
            self.text_.append(text)


def _ticks(names):
    """Return positions and names of ticks: every second, third, … if there are many."""
    names = list(names)
    step = -(-len(names) // MAX_NAMES)
    return range(0, len(names), step), names[::step]
