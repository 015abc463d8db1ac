"""BeliefNetworkDisplay: the graph of a belief network, drawn in layers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..tabular import import_pandas
from . import _curve_artists as artists
from ._layered_layout import layered_layout

# Widths of arcs in points: with no mutual information, and with the most.
MIN_ARC_WIDTH, MAX_ARC_WIDTH = 0.6, 4.0
# The opacity of arcs, and their relative width without mutual information.
ARC_ALPHA, DEFAULT_RELATIVE_WIDTH = 0.6, 0.25
# In inches.
LETTER_WIDTH, GAP_BETWEEN_NAMES, LAYER_HEIGHT = 0.075, 0.35, 0.85


@dataclass(kw_only=True, repr=False, eq=False)
class BeliefNetworkDisplay:
    """The graph of a belief network, parents above their children.

    The class is filled, and hidden nodes have dashed frames. The width of an arc shows
    the mutual information of parent and child given the child's other parents, or its
    strength in bootstrap samples.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    names : sequence of str
        The names of the nodes.
    parents : sequence of sequences of int
        The parents of each node.
    information : dict of {(int, int): float}, default=None
        The mutual information of each arc (parent, child), in nats. By default all
        arcs have the same width.
    target : int, default=None
        The node of the class.
    hidden : collection of int, default=()
        Nodes that no column shows.
    undirected : collection of (int, int), default=()
        Arcs (parent, child) that are drawn without a head.
    strengths : dict of {(int, int): float}, default=None
        The strength of each arc, from 0 to 1, instead of its information.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the graph.
    figure_ : matplotlib Figure
        Figure of these axes.
    nodes_ : list of matplotlib Text
        The names, in the order of `names`.
    arcs_ : dict of {(int, int): list of matplotlib FancyArrowPatch}
        The pieces of each arc, by (parent, child); the last piece has the arrow head.

    See Also
    --------
    ProbabilityTableDisplay : The table of one node.

    Examples
    --------
    >>> from sklearn_bayeslazy import BeliefNetworkClassifier, BeliefNetworkDisplay
    >>> from sklearn_bayeslazy.datasets import load_play_tennis
    >>> X, y = load_play_tennis(return_X_y=True, as_frame=True)
    >>> model = BeliefNetworkClassifier("tan").fit(X, y)
    >>> BeliefNetworkDisplay.from_estimator(model)  # doctest: +SKIP
    """

    names: Sequence[str]
    parents: Sequence[Sequence[int]]
    information: dict | None = None
    target: int | None = None
    hidden: Collection[int] = ()
    undirected: Collection[tuple[int, int]] = ()
    strengths: dict | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator,
        *,
        weigh_arcs=True,
        strengths=None,
        cpdag=False,
        ax=None,
        **plot_kw,
    ):
        """Draw the network of a fitted model.

        Parameters
        ----------
        estimator : BeliefNetwork or BeliefNetworkClassifier
            Fitted.
        weigh_arcs : bool, default=True
            Whether the width of an arc shows its mutual information. This needs exact
            inference, which is intractable in dense networks of many nodes.
        strengths : DataFrame, default=None
            As :meth:`BeliefNetwork.arc_strengths` returns it: the width of an arc shows
            its strength instead.
        cpdag : bool, default=False
            Whether arcs that an equivalent graph has in the other direction are drawn
            without a head, as :meth:`BeliefNetwork.to_cpdag` lists them.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, large enough for the names.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        BeliefNetworkDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If it is not a belief network.
        """
        network = network_of(estimator)
        n_columns, classes = estimator.n_features_in_, hasattr(estimator, "classes_")
        if strengths is not None:
            strengths, weigh_arcs = estimator._strengths_of_arcs(strengths), False
        display = cls(
            names=network.names,
            parents=network.parents,
            information=estimator._arc_information() if weigh_arcs else None,
            target=n_columns if classes else None,
            hidden=range(n_columns + classes, network.n_nodes),
            undirected=estimator._undirected_arcs() if cpdag else (),
            strengths=strengths,
        )
        return display.plot(ax, **plot_kw)

    def frame(self):
        """Return the arcs as a pandas frame.

        Returns
        -------
        DataFrame
            A row for each arc, with the columns "parent", "child" and "information",
            in nats; NaN where the arcs are not weighed. Or "strength", if it is shown.
        """
        pd = import_pandas()
        shown, name = self._weights()
        rows = [
            (self.names[i], self.names[j], shown.get((i, j), np.nan))
            for j, parents in enumerate(self.parents)
            for i in parents
        ]
        return pd.DataFrame(rows, columns=["parent", "child", name])

    def plot(self, ax=None, *, node_kw=None, arc_kw=None):
        """Draw the graph.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, large enough for the names.
        node_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.text` for the names.
        arc_kw : dict, default=None
            Keywords of :class:`matplotlib.patches.FancyArrowPatch`.

        Returns
        -------
        self : BeliefNetworkDisplay
        """
        positions, bends = layered_layout(self.parents)
        if ax is None:
            ax = artists.new_axes(figsize=self._size(positions))
        self.ax_, self.figure_ = ax, ax.figure
        self.nodes_ = [
            self._draw_node(node, position, node_kw or {})
            for node, position in enumerate(positions)
        ]
        points = np.concatenate([positions, *bends.values()])
        low, high = points.min(axis=0) - 0.6, points.max(axis=0) + 0.6
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.set_axis_off()
        self.arcs_ = {
            arc: self._draw_arc(*arc, positions, arc_bends, arc_kw or {})
            for arc, arc_bends in bends.items()
        }
        return self

    def _size(self, positions):
        """Return the width and height of a figure in which names do not overlap."""
        columns = np.ptp(positions[:, 0]) + 1.2
        longest = max(len(str(name)) for name in self.names)
        width = columns * (longest * LETTER_WIDTH + GAP_BETWEEN_NAMES)
        height = (np.ptp(positions[:, 1]) + 1.2) * LAYER_HEIGHT
        return float(np.clip(width, 3, 40)), float(np.clip(height, 1.5, 40))

    def _draw_node(self, node, position, node_kw):
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "0.3"}
        if node == self.target:
            box |= {"facecolor": "C1"}
        if node in self.hidden:
            box |= {"linestyle": "--"}
        style = {"ha": "center", "va": "center", "fontsize": 9, "bbox": box}
        style |= {"parse_math": False}  # a dollar sign in a name is not a formula
        return self.ax_.text(*position, str(self.names[node]), **(style | node_kw))

    def _draw_arc(self, parent, child, positions, bends, arc_kw):
        """Draw an arc: a curve through its bends, if any, then a straight arrow."""
        from matplotlib.patches import FancyArrowPatch

        style = {
            "linewidth": self._arc_width(parent, child),
            "color": "C1" if parent == self.target else "C0",
            "alpha": ARC_ALPHA,
            "capstyle": "butt",  # the ends of the two pieces must not overlap
            "zorder": 1,
        } | arc_kw
        pieces, start = [], positions[parent]
        if len(bends):
            path = _curve(start, bends, positions[child])
            pieces.append(FancyArrowPatch(path=path, arrowstyle="-", **style))
            start = path.vertices[-1]
        arrow = FancyArrowPatch(
            start,
            positions[child],
            arrowstyle="-" if (parent, child) in self.undirected else "-|>",
            mutation_scale=9,
            patchA=None if len(bends) else self.nodes_[parent].get_bbox_patch(),
            patchB=self.nodes_[child].get_bbox_patch(),
            shrinkA=0,
            shrinkB=1,
            **style,
        )
        return [self.ax_.add_patch(piece) for piece in (*pieces, arrow)]

    def _weights(self):
        """Return what the widths of arcs show, by (parent, child), and its name."""
        if self.strengths is not None:
            return self.strengths, "strength"
        return self.information or {}, "information"

    def _arc_width(self, parent, child):
        """Return the width of an arc in points."""
        shown, name = self._weights()
        largest = 1.0 if name == "strength" else max(shown.values(), default=0.0)
        relative = DEFAULT_RELATIVE_WIDTH
        if largest > 0 and shown:
            relative = shown[parent, child] / largest
        return MIN_ARC_WIDTH + relative * (MAX_ARC_WIDTH - MIN_ARC_WIDTH)


def _curve(start, bends, end):
    """Return a curve from start around the bends to midway between the last and end."""
    from matplotlib.path import Path

    stops = [(a + b) / 2 for a, b in pairwise([*bends, end])]
    points = [point for pair in zip(bends, stops) for point in pair]
    return Path([start, *points], [Path.MOVETO, *[Path.CURVE3] * len(points)])


def network_of(estimator):
    """Return the network of a fitted model, or raise an error."""
    check_is_fitted(estimator)
    if not hasattr(estimator, "network_"):
        raise TypeError(
            f"{type(estimator).__name__} has no network_: give a BeliefNetwork or a "
            "BeliefNetworkClassifier."
        )
    return estimator.network_
