"""New matplotlib axes; matplotlib is imported only when something is drawn."""


def new_axes(**figure_kw):
    """Return axes of a new figure; an ImportError names matplotlib if it is missing."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Displays need matplotlib to draw: pip install 'sklearn-bayeslazy[plot]'."
        ) from error
    return plt.subplots(layout="constrained", **figure_kw)[1]
