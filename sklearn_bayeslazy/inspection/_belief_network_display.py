"""BeliefNetworkDisplay: the graph of a belief network, in layers."""

from itertools import pairwise

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..belief_network._inference import family_marginals
from ..belief_network._structure import mutual_information
from . import _curve_artists as artists
from ._layered_layout import layered_layout

# Widths of arcs in points: of one that tells nothing, and of the one that tells most.
_THIN, _THICK = 0.6, 4.0
# In inches: a letter of a name, what stands between two names, a layer.
_LETTER, _GAP, _LAYER = 0.075, 0.35, 0.85


class BeliefNetworkDisplay:
    """The graph of a belief network, parents above their children.

    The class is filled, hidden nodes have dashed frames. The more an arc tells, the
    wider it is: by the mutual information of parent and child given the child's other
    parents.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    names : sequence of str
        Of the nodes.
    parents : sequence of sequences of int
        The parents of each node.
    information : dict of {(int, int): float}, default=None
        Of each arc (parent, child), in nats; without it arcs are alike.
    target : int, default=None
        The class's node.
    hidden : collection of int, default=()
        Nodes that no column shows.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the graph.
    figure_ : matplotlib Figure
        Figure that holds them.
    nodes_ : list of matplotlib Text
        The names, in the order of `names`.
    arcs_ : dict of {(int, int): list of matplotlib FancyArrowPatch}
        The pieces of each arc, by (parent, child); the last has the head.

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

    def __init__(self, *, names, parents, information=None, target=None, hidden=()):
        self.names = names
        self.parents = parents
        self.information = information
        self.target = target
        self.hidden = hidden

    @classmethod
    def from_estimator(cls, estimator, *, weigh_arcs=True, ax=None, **plot_kw):
        """Draw the network of a fitted model.

        Parameters
        ----------
        estimator : BeliefNetwork or BeliefNetworkClassifier
            Fitted.
        weigh_arcs : bool, default=True
            Whether arcs are as wide as they tell. That takes exact inference, which is
            out of reach in dense networks of many nodes.
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
            If it is no belief network.
        """
        network = network_of(estimator)
        n_columns, classes = estimator.n_features_in_, hasattr(estimator, "classes_")
        display = cls(
            names=network.names,
            parents=network.parents,
            information=informations(network) if weigh_arcs else None,
            target=n_columns if classes else None,
            hidden=range(n_columns + classes, network.n_nodes),
        )
        return display.plot(ax, **plot_kw)

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
        positions, ways = layered_layout(self.parents)
        if ax is None:
            ax = artists.new_axes(figsize=self._size(positions))
        self.ax_, self.figure_ = ax, ax.figure
        self.nodes_ = [
            self._draw_node(node, place, node_kw or {})
            for node, place in enumerate(positions)
        ]
        points = np.concatenate([positions, *ways.values()])
        low, high = points.min(axis=0) - 0.6, points.max(axis=0) + 0.6
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.set_axis_off()
        most = max((self.information or {}).values(), default=0.0)
        self.arcs_ = {
            arc: self._draw_arc(*arc, positions, way, most, arc_kw or {})
            for arc, way in ways.items()
        }
        return self

    def _size(self, positions):
        """Return the width and height of a figure in which names do not overlap."""
        columns = np.ptp(positions[:, 0]) + 1.2
        width = columns * (max(len(str(name)) for name in self.names) * _LETTER + _GAP)
        height = (np.ptp(positions[:, 1]) + 1.2) * _LAYER
        return float(np.clip(width, 3, 40)), float(np.clip(height, 1.5, 40))

    def _draw_node(self, node, place, node_kw):
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "0.3"}
        if node == self.target:
            box |= {"facecolor": "C1"}
        if node in self.hidden:
            box |= {"linestyle": "--"}
        style = {"ha": "center", "va": "center", "fontsize": 9, "bbox": box}
        style |= {"parse_math": False}  # a dollar is a dollar
        return self.ax_.text(*place, str(self.names[node]), **(style | node_kw))

    def _draw_arc(self, parent, child, positions, way, most, arc_kw):
        from matplotlib.patches import FancyArrowPatch
        from matplotlib.path import Path

        share = self.information[parent, child] / most if most > 0 else 0.25
        style = {
            "linewidth": _THIN + share * (_THICK - _THIN),
            "color": "C1" if parent == self.target else "C0",
            "alpha": 0.6,
            "capstyle": "butt",  # the ends of two pieces must not overlap
            "zorder": 1,
        } | arc_kw
        pieces, start = [], positions[parent]
        if len(way):  # bent at its points, and straight at the end
            stops = [*((a + b) / 2 for a, b in pairwise([*way, positions[child]]))]
            bends = [point for pair in zip(way, stops) for point in pair]
            codes = [Path.MOVETO, *[Path.CURVE3] * len(bends)]
            path = Path([start, *bends], codes)
            pieces.append(FancyArrowPatch(path=path, arrowstyle="-", **style))
            start = stops[-1]
        head = FancyArrowPatch(
            start,
            positions[child],
            arrowstyle="-|>",
            mutation_scale=9,
            patchA=None if len(way) else self.nodes_[parent].get_bbox_patch(),
            patchB=self.nodes_[child].get_bbox_patch(),
            shrinkA=0,
            shrinkB=1,
            **style,
        )
        return [self.ax_.add_patch(piece) for piece in (*pieces, head)]


def network_of(estimator):
    """Return the network of a model, or raise an error if it is none, or not fitted."""
    check_is_fitted(estimator)
    if not hasattr(estimator, "network_"):
        raise TypeError(
            f"{type(estimator).__name__} has no network_: give a BeliefNetwork or a "
            "BeliefNetworkClassifier."
        )
    return estimator.network_


def informations(network):
    """Return the mutual information of each arc's ends, given the other parents."""
    found = {}
    for child, joint in enumerate(family_marginals(network)):
        for axis, parent in enumerate(network.parents[child]):
            counts = np.moveaxis(joint, axis, -2)
            found[parent, child] = mutual_information(counts)
    return found
