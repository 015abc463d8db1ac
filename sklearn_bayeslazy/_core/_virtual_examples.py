"""The bound that every naive Bayes model puts on its number m of virtual examples."""

# Virtual examples and priors up to this size can be multiplied without overflow.
MAX_VIRTUAL_EXAMPLES = 1e150
