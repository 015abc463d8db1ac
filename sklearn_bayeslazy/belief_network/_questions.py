"""Questions about the nodes of a fitted network, and its forms for other programs."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from ..tabular import MISSING, UNKNOWN, import_pandas, object_array
from ._bif import write_bif
from ._exchange import to_networkx, to_pgmpy, to_pyagrum
from ._factors import Distribution
from ._graph import arcs_of, compelled_arcs, d_separated, markov_blanket
from ._inference import ExactInference, log_posteriors
from ._network import find_node, intervened, with_likelihood, with_probability
from ._nodes import code_of_value


class QuestionsMixin:
    """Answers of a network about its nodes; estimators of belief networks inherit."""

    def query(self, evidence, targets, *, do=None, likelihood=None):
        r"""Return the distribution of some nodes, given the values of others.

        Parameters
        ----------
        evidence : dict of {name: value}
            A number stands for its bin. Nodes with the value None, NaN or pandas.NA
            are not observed.
        targets : str, or list of str
            Names of nodes. Several nodes have a joint distribution.
        do : dict of {name: value}, default=None
            Interventions: values that are set from outside, whatever the parents of the
            nodes are (Pearl's do operator). The arcs to these nodes are cut. This is
            the effect of the intervention only if arcs lead from causes to effects.
        likelihood : dict of {name: array-like}, default=None
            Uncertain (virtual) evidence: for each value of a node, in the order of
            ``network_.values``, the probability ≥ 0 of what was noticed if the node has
            this value. Only ratios matter.

        Returns
        -------
        Distribution
            With `names`, `values` and `probabilities`, an array with an axis for each
            target. It is that of the network: the calibration of a classifier, which
            `predict_proba` applies, is left out.

        Raises
        ------
        ValueError
            If a name or a value is unknown, or the evidence has probability 0.

        References
        ----------
        J. Pearl (2009), Causality, 2nd edition, sections 1.3 and 3.2.
        J. Pearl (1988), Probabilistic Reasoning in Intelligent Systems, section 2.2.2.

        Examples
        --------
        Those who smoke are often those who are young, and the young are often well:

        >>> from sklearn_bayeslazy import BeliefNetwork
        >>> model = BeliefNetwork.from_tables(
        ...     [("young", "smokes"), ("young", "well"), ("smokes", "well")],
        ...     {
        ...         "young": [0.5, 0.5],
        ...         "smokes": [[1.0, 0.0], [0.5, 0.5]],
        ...         "well": [[[0.6, 0.4], [0.9, 0.1]], [[0.1, 0.9], [0.4, 0.6]]],
        ...     },
        ... )
        >>> model.query({"smokes": 1}, "well")  # all of them are young
        Distribution(0=0.4, 1=0.6)
        >>> model.query({}, "well", do={"smokes": 1})  # half of .1 and half of .6
        Distribution(0=0.65, 1=0.35)
        >>> model.query({}, "young", likelihood={"young": [1, 4]})  # 4 times as likely
        Distribution(0=0.2, 1=0.8)
        """
        check_is_fitted(self)
        nodes = self._find_nodes(targets, "targets")
        network, codes = self._premises(evidence, do, likelihood)
        logs = self._log_posteriors(network, codes, nodes, evidence)
        return Distribution(
            tuple(network.names[node] for node in nodes),
            tuple(network.values[node] for node in nodes),
            np.exp(logs[0]),
        )

    def explain_query(self, evidence, target, value=None, *, do=None, likelihood=None):
        """Return how much each piece of evidence moves the probability of a value.

        Each piece of evidence is left out in turn. The changes do not add up to the
        change by all of them, if pieces depend on each other. Probabilities are those
        of the network. A classifier calibrates them before it predicts: its `explain`
        tells why a row has its probabilities.

        Parameters
        ----------
        evidence : dict of {name: value}
            As in :meth:`query`.
        target : str
            The name of a node without evidence.
        value : object, default=None
            The value of the target; by default the most probable one.
        do, likelihood : dict, default=None
            As in :meth:`query`. A likelihood is a piece of evidence, an intervention
            is not.

        Returns
        -------
        DataFrame
            A row for each piece, the largest change first. "value": what was observed.
            "with": the probability of the target's value given all evidence.
            "without": that given all evidence but this. "log odds": the difference of
            their log odds.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bayeslazy import BeliefNetwork
        >>> model = BeliefNetwork.from_tables(
        ...     [("ill", "fever"), ("ill", "cough")],
        ...     {
        ...         "ill": [0.5, 0.5],
        ...         "fever": [[0.9, 0.1], [0.1, 0.9]],
        ...         "cough": [[0.5, 0.5], [0.25, 0.75]],
        ...     },
        ... )
        >>> why = model.explain_query({"cough": 1, "fever": 1}, "ill", 1)
        >>> why.index.tolist()
        ['fever', 'cough']
        >>> why["without"].round(6).tolist()  # .75 / (.5 + .75) and .9
        [0.6, 0.9]
        >>> np.exp(why["log odds"]).round(6).tolist()  # .9 / .1 and .75 / .5
        [9.0, 1.5]
        """
        check_is_fitted(self)
        (node,) = self._find_nodes([target], "target")
        name, likelihood = self.network_.names[node], likelihood or {}
        network, codes = self._premises(evidence, do, likelihood)
        if codes[0, node] != MISSING:
            raise ValueError(f"target={target!r} is observed: ask for another node.")
        logs = self._log_posteriors(network, codes, [node], evidence)[0]
        if value is None:
            position = int(np.argmax(logs))
        else:
            _, position = self._one_value({name: value}, "value")
        pieces = [(key, seen, "evidence") for key, seen in dict(evidence).items()]
        pieces += [(key, seen, "likelihood") for key, seen in likelihood.items()]
        rows = []
        for key, seen, kind in pieces:
            rest = {"evidence": dict(evidence), "likelihood": dict(likelihood)}
            del rest[kind][key]
            network, codes = self._premises(do=do, **rest)
            without = self._log_posteriors(network, codes, [node], evidence)[0]
            rows.append((key, seen, np.exp(without[position])))
        names, values, without = zip(*rows) if rows else ((), (), ())
        p, without = np.exp(logs[position]), np.array(without, dtype=np.float64)
        with np.errstate(invalid="ignore"):  # inf - inf: both are 1
            change = np.where(without == p, 0.0, logit(p) - logit(without))
        pd = import_pandas()
        index = pd.Index(object_array(names), name="evidence")
        columns = {
            "value": object_array(values),
            "with": p,
            "without": without,
            "log odds": change,
        }
        frame = pd.DataFrame(columns, index)
        return frame.sort_values("log odds", key=abs, ascending=False, kind="stable")

    def sensitivity(self, evidence, event, parameter, given=None):
        r"""Return the probability of an event as a function of one cell of a table.

        Where the cell P(value | parents) becomes θ, the other values of its row keep
        their proportions. Then the probability is

        .. math:: P(e \mid d) = \frac{a + b θ}{c + d θ}.

        Parameters
        ----------
        evidence : dict of {name: value}
            As in :meth:`query`.
        event : dict of {name: value}
            The event of which the probability is asked.
        parameter : dict of {name: value}
            The value of one node whose probability is varied.
        given : dict of {name: value}, default=None
            The values of all parents of this node.

        Returns
        -------
        Sensitivity
            Call it with θ. Its attributes are `parameter`, the present θ;
            `probability`, the present probability; and `derivative` there.

        References
        ----------
        V. M. H. Coupé and L. C. van der Gaag (2002), "Properties of sensitivity
        analysis of Bayesian belief networks", Annals of Mathematics and Artificial
        Intelligence 36.

        Examples
        --------
        1 in 100 is ill. The test finds 9 in 10 of them, and errs for 1 in 10 others:

        >>> from sklearn_bayeslazy import BeliefNetwork
        >>> model = BeliefNetwork.from_tables(
        ...     [("ill", "test")],
        ...     {"ill": [0.99, 0.01], "test": [[0.9, 0.1], [0.1, 0.9]]},
        ... )
        >>> curve = model.sensitivity({"test": 1}, {"ill": 1}, {"test": 1}, {"ill": 0})
        >>> round(curve.probability, 6)  # .009 / (.009 + .099)
        0.083333
        >>> round(curve(0.01), 6)  # .009 / (.009 + .0099)
        0.47619
        >>> round(curve.parameter_for(0.5), 6)  # .009 / .99
        0.009091
        """
        check_is_fitted(self)
        network, codes = self._premises(evidence)
        events = self._known_codes(event, "event")
        known = events >= 0
        if not known.any() or np.any(known & (codes >= 0)):
            raise ValueError(
                f"event={event!r} must name nodes, and none that the evidence observes."
            )
        node, value = self._one_value(parameter, "parameter")
        name, parents = network.names[node], network.parents[node]
        if network.sizes[node] == 1:
            raise ValueError(
                f"{name!r} has one value, whose probability is always 1: give another "
                "parameter."
            )
        combination = self._evidence_codes(given or {}, "given")[0]
        if set(np.flatnonzero(combination >= 0)) != set(parents):
            raise ValueError(
                f"given={given!r} must hold a value of each parent of {name!r}: "
                f"{[network.names[parent] for parent in parents]}."
            )
        cell = (*combination[list(parents)].tolist(), value)
        both = np.concatenate([np.where(known, events, codes), codes])
        ends = (with_probability(network, node, cell, theta) for theta in (0.0, 1.0))
        logs = np.array([ExactInference().log_marginals(end, both, []) for end in ends])
        if (largest := logs.max()) == -np.inf:
            raise ValueError(f"The evidence {dict(evidence)!r} has probability 0.")
        joint, total = np.exp(logs - largest).T
        return Sensitivity(float(network.tables[node][cell]), joint, total)

    def markov_blanket(self, node):
        """Return the nodes that make a node independent of all others.

        Parameters
        ----------
        node : str
            The name of a node.

        Returns
        -------
        list of str
            Its parents, its children and their other parents, in the order of the
            nodes.
        """
        check_is_fitted(self)
        (found,) = self._find_nodes([node], "node")
        blanket = markov_blanket(self.network_.parents, found)
        return [self.network_.names[other] for other in sorted(blanket)]

    def d_separated(self, x, y, given=()):
        """Return whether the graph implies that nodes are independent, given others.

        Parameters
        ----------
        x, y, given : str, or lists of str
            Names of nodes.

        Returns
        -------
        bool
            If True, x and y are independent given the others, for any tables. If False,
            they can be dependent or independent.
        """
        check_is_fitted(self)
        sets = [
            set(self._find_nodes(names, parameter))
            for parameter, names in (("x", x), ("y", y), ("given", given))
        ]
        return d_separated(self.network_.parents, *sets)

    def to_cpdag(self):
        """Return the arcs whose direction the rows can tell, and the other ones.

        Graphs with the same neighbors and the same v-structures (two parents of a node
        that are not neighbors) imply the same independences, and fit all rows equally
        well. They are represented by a completed partially directed acyclic graph.

        Returns
        -------
        directed : list of (str, str)
            The arcs (parent, child) that all equivalent graphs have.
        undirected : list of (str, str)
            The arcs that an equivalent graph has in the other direction: they say
            nothing about cause and effect.

        References
        ----------
        D. M. Chickering (2002), "Learning equivalence classes of Bayesian-network
        structures", Journal of Machine Learning Research 2.

        Examples
        --------
        >>> from sklearn_bayeslazy import BeliefNetwork
        >>> rows = [[a, b, a | b, a | b] for a in (0, 1) for b in (0, 1)]
        >>> model = BeliefNetwork([(0, 2), (1, 2), (2, 3)]).fit(rows)
        >>> model.to_cpdag()
        ([('0', '2'), ('1', '2'), ('2', '3')], [])
        >>> BeliefNetwork([(0, 1), (1, 2)]).fit(rows).to_cpdag()
        ([], [('0', '1'), ('1', '2')])
        """
        check_is_fitted(self)
        undirected = self._undirected_arcs()
        arcs = list(zip(arcs_of(self.network_.parents), self.network_.arcs()))
        return (
            [named for arc, named in arcs if arc not in undirected],
            [named for arc, named in arcs if arc in undirected],
        )

    def _undirected_arcs(self):
        """Return the arcs, as pairs of nodes, that an equivalent graph reverses."""
        parents = self.network_.parents
        return set(arcs_of(parents)) - compelled_arcs(parents)

    def to_bif(self, path=None):
        """Return the network in the Bayesian Interchange Format.

        Names and values that are no identifiers are replaced, since pyAgrum, GeNIe and
        others cannot read them. `from_bif` restores them from a property.

        Parameters
        ----------
        path : str or path-like, default=None
            A file to which the text is written as well.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        text = write_bif(self.network_)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def to_networkx(self):
        """Return the graph as a `networkx.DiGraph`.

        Returns
        -------
        networkx.DiGraph
            A node has its name, and the attributes `values`; `table`, P(node |
            parents); and `parents`, the names in the order of the table's axes.
        """
        check_is_fitted(self)
        return to_networkx(self.network_)

    def to_pyagrum(self):
        """Return the network as a `pyagrum.BayesNet`.

        Returns
        -------
        pyagrum.BayesNet
            The labels are the values as strings. Its own writers give XMLBIF, NET, UAI
            and other formats.
        """
        check_is_fitted(self)
        return to_pyagrum(self.network_)

    def to_pgmpy(self):
        """Return the network as a `pgmpy.models.DiscreteBayesianNetwork`.

        Returns
        -------
        pgmpy.models.DiscreteBayesianNetwork
            The state names are the values. Its own writers give XMLBIF, NET, UAI and
            XDSL of GeNIe.
        """
        check_is_fitted(self)
        return to_pgmpy(self.network_)

    def _find_nodes(self, names, parameter):
        """Return the nodes with some names, each listed once."""
        names = [names] if isinstance(names, str | Integral) else list(names)
        nodes = [find_node(name, self.network_.names, parameter) for name in names]
        if len(set(nodes)) < len(nodes):
            raise ValueError(f"{parameter}={names!r} names a node twice: drop one.")
        return nodes

    def _premises(self, evidence, do=None, likelihood=None):
        """Return the network and the one row of codes that hold all that is given."""
        network, codes = self.network_, self._evidence_codes(evidence, "evidence")
        if do:
            actions = self._known_codes(do, "do")
            if np.any(both := (actions >= 0) & (codes >= 0)):
                name = network.names[int(np.argmax(both))]
                raise ValueError(f"{name!r} is in evidence and in do: drop one.")
            network = intervened(network, np.flatnonzero(actions[0] >= 0))
            codes = np.where(actions >= 0, actions, codes)
        for name, weights in _checked_dict(likelihood or {}, "likelihood").items():
            node = find_node(name, self.network_.names, "likelihood")
            network = with_likelihood(network, node, weights)
            codes = np.concatenate([codes, np.zeros_like(codes[:, :1])], axis=1)
        return network, codes

    def _evidence_codes(self, evidence, where):
        """Return the values of nodes as one row of codes."""
        names, n_columns = self.network_.names, self._nodes.n_columns
        row = np.full((1, len(names)), None, dtype=object)
        for name, value in _checked_dict(evidence, where).items():
            row[0, find_node(name, names, where)] = value
        codes = self._codes(row[:, :n_columns], slice(0, 1))
        for node, (_, values) in enumerate(self._nodes.others, start=n_columns):
            codes[0, node] = code_of_value(row[0, node], values)
        unknown = codes[0] == UNKNOWN
        if unknown.any():
            node = int(np.argmax(unknown))
            raise ValueError(
                f"The {where} {row[0, node]!r} is not a value of {names[node]!r}: "
                f"give one of {list(self.network_.values[node])}."
            )
        return codes

    def _known_codes(self, values, where):
        """Return the values of nodes as one row of codes; none may be missing."""
        codes = self._evidence_codes(values, where)
        if np.count_nonzero(codes >= 0) < len(values):
            raise ValueError(
                f"{where}={values!r} has a missing value: give or drop it."
            )
        return codes

    def _one_value(self, named, where):
        """Return the node of a dict of one name and value, and the value's code."""
        codes = self._evidence_codes(named, where)[0]
        (nodes,) = np.nonzero(codes >= 0)
        if len(nodes) != 1:
            raise ValueError(f"{where}={named!r} must name one node and its value.")
        return int(nodes[0]), int(codes[nodes[0]])

    def _log_posteriors(self, network, codes, nodes, evidence):
        """Return log P(nodes | premises); an error if these have probability 0."""
        inference = self._inference_engine()
        logs = log_posteriors(inference.log_marginals(network, codes, nodes))
        if np.isnan(logs).any():
            draws = f" in all n_draws={self.n_draws} draws: increase n_draws"
            where = "" if self.inference == "exact" else draws
            raise ValueError(
                f"The evidence {dict(evidence)!r} has probability 0{where}."
            )
        return logs


def _checked_dict(given, where):
    """Return a dictionary as it is, or raise an error."""
    if not hasattr(given, "items"):
        raise TypeError(
            f"{where} must be a dictionary with the names of nodes, got {given!r:.60}."
        )
    return given


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The probability of an event as a function of one cell θ of a table.

    Attributes
    ----------
    parameter : float
        The present θ.
    joint, total : ndarray of shape (2,)
        The probability of event and evidence, and that of the evidence, for θ = 0 and
        for θ = 1, up to a common factor. In between they are linear.
    """

    parameter: float
    joint: np.ndarray
    total: np.ndarray

    def __call__(self, theta):
        """Return the probability for θ, a number or an array; NaN if undefined."""
        theta = np.asarray(theta, dtype=np.float64)
        joint, total = (
            (1 - theta) * at_0 + theta * at_1 for at_0, at_1 in (self.joint, self.total)
        )
        with np.errstate(invalid="ignore"):  # 0 / 0: the evidence is impossible
            found = joint / total
        return found if found.ndim else float(found)

    @property
    def probability(self):
        """The probability of the event for the present θ."""
        return self(self.parameter)

    @property
    def derivative(self):
        """The derivative of the probability at the present θ."""
        (a, b), (c, d) = self.joint, self.total
        total = (1 - self.parameter) * c + self.parameter * d
        return float((b * c - a * d) / total**2)

    def parameter_for(self, probability):
        """Return the θ that gives the event a probability, NaN if none from 0 to 1."""
        (a, b), (c, d) = self.joint, self.total
        slope = (b - a) - probability * (d - c)
        theta = (probability * c - a) / slope if slope else np.nan
        return float(theta) if 0 <= theta <= 1 else np.nan
