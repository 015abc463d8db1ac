"""Parameters of named hypotheses, such as "a__m" of the hypothesis that is named a."""

from inspect import isclass

from ._hypotheses import named_pairs


class NamedHypothesesMixin:
    """Let searches set the parameters of the hypotheses that are pairs with a name."""

    def get_params(self, deep=True):
        """Return the parameters, and those of the named hypotheses.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add each hypothesis that is a pair (name, hypothesis) by its
            name, and its parameters as ``name__parameter``.

        Returns
        -------
        dict of {str: object}
        """
        own = super().get_params(deep=deep)
        if not deep:
            return own
        params = {}
        for name, hypothesis in named_pairs(self.hypotheses):
            params[name] = hypothesis
            if hasattr(hypothesis, "get_params") and not isclass(hypothesis):
                inner = hypothesis.get_params(deep=True)
                params |= {f"{name}__{key}": value for key, value in inner.items()}
        return params | own

    def set_params(self, **params):
        """Set parameters, replace named hypotheses, and set their parameters.

        Parameters
        ----------
        **params : dict
            ``parameter=value``, ``name=hypothesis`` or ``name__parameter=value``. The
            whole list is replaced first, then hypotheses, then their parameters.

        Returns
        -------
        self : HypothesisClassifier
        """
        if "hypotheses" in params:
            self.hypotheses = params.pop("hypotheses")
        own = super().get_params(deep=False)
        names = {name for name, _ in named_pairs(self.hypotheses)} - set(own)
        if replaced := {name: params.pop(name) for name in names & set(params)}:
            # A new list, because the caller's list may be shared with other models.
            self.hypotheses = [
                (item[0], replaced[item[0]])
                if named_pairs([item]) and item[0] in replaced
                else item
                for item in self.hypotheses
            ]
        return super().set_params(**params)
