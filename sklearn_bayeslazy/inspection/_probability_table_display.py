"""ProbabilityTableDisplay: the table of one node of a belief network as a heat map."""

from itertools import product

import numpy as np

from ..belief_network._network import find_place
from . import _curve_artists as artists
from ._belief_network_display import network_of

# Larger tables have no numbers in their cells, and no names beside their rows.
_MOST_ROWS, _MOST_COLUMNS = 40, 12
# In inches, of the title.
_LETTER = 0.1


class ProbabilityTableDisplay:
    """The probabilities of a node's values for each combination of its parents'.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    table : ndarray of shape (K_1, ..., K_p, n_values)
        P(node | parents).
    name : str
        Of the node.
    values : sequence
        The node's, as columns are named.
    parent_names : sequence of str, default=()
    parent_values : sequence of sequences, default=()
        By which rows are named.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the table.
    figure_ : matplotlib Figure
        Figure that holds them.
    image_ : matplotlib AxesImage
        The cells.
    text_ : list of matplotlib Text
        The numbers in them, row by row; none in large tables.

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
            By name.
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
            If it is no belief network, or has no such node.
        """
        network = network_of(estimator)
        place = find_place(node, network.names, "node")
        parents = network.parents[place]
        display = cls(
            table=network.tables[place],
            name=network.names[place],
            values=network.values[place],
            parent_names=[network.names[parent] for parent in parents],
            parent_values=[network.values[parent] for parent in parents],
        )
        return display.plot(ax, **plot_kw)

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
        is_small = n_rows <= _MOST_ROWS and n_columns <= _MOST_COLUMNS
        if ax is None:
            width = max(2 + 0.8 * n_columns, 0.6 + _LETTER * len(self._title()))
            size = min(width, 12), min(1.2 + 0.35 * n_rows, 12)
            ax = artists.new_axes(figsize=size)
        self.ax_, self.figure_ = ax, ax.figure
        style = {"cmap": "Blues", "vmin": 0, "vmax": 1, "aspect": "auto"}
        self.image_ = ax.imshow(cells, **(style | (image_kw or {})))
        ax.set_title(self._title(), parse_math=False)
        ax.set_xticks([])
        ax.set_yticks([])
        self.text_ = []
        if is_small:
            self._name_rows_and_columns(n_rows, n_columns)
            self._write_numbers(cells, text_kw or {})
        else:
            self.figure_.colorbar(self.image_, ax=ax)
        return self

    def _title(self):
        given = ", ".join(map(str, self.parent_names))
        return f"P({self.name} | {given})" if given else f"P({self.name})"

    def _name_rows_and_columns(self, n_rows, n_columns):
        look = {"parse_math": False}  # a dollar is a dollar
        letters = sum(len(str(value)) for value in self.values)
        if letters > artists.MAX_HORIZONTAL_LETTERS // 2:
            look |= {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        self.ax_.set_xticks(range(n_columns), map(str, self.values), **look)
        if not len(self.parent_names):
            return
        rows = [", ".join(map(str, some)) for some in product(*self.parent_values)]
        self.ax_.set_yticks(range(n_rows), rows, parse_math=False)

    def _write_numbers(self, cells, text_kw):
        dark = self.image_.norm(cells) > 0.6
        for place, p in np.ndenumerate(cells):
            colour = "white" if dark[place] else "black"
            style = {"ha": "center", "va": "center", "fontsize": 8, "color": colour}
            text = self.ax_.text(*place[::-1], f"{p:.2f}", **(style | text_kw))
            self.text_.append(text)
