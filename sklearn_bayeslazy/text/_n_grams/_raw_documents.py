"""Checks of raw documents: an iterable over strings, and nothing else."""

from scipy.sparse import issparse


def check_documents(documents, estimator):
    """Return the documents as a list, or raise an error that names the mistake."""
    name = type(estimator).__name__
    expected = f"{name} expects raw documents, an iterable over strings"
    if isinstance(documents, (str, bytes)):
        raise ValueError(
            f"{expected}; got one string. Put it into a list: [{documents[:20]!r}]."
        )
    shape = getattr(documents, "shape", None)
    if issparse(documents) or (shape is not None and len(shape) != 1):
        raise TypeError(
            f"{expected}; got a matrix of shape {shape}. Give the texts themselves, "
            "such as one column (df['text']); for counts of words there is TextNB."
        )
    try:
        documents = list(documents)
    except TypeError:
        raise TypeError(f"{expected}; got {type(documents).__name__}.") from None
    if not callable(estimator.analyzer):
        for row, document in enumerate(documents):
            if not isinstance(document, str):
                _raise_not_a_string(document, row, expected)
    return documents


def _raise_not_a_string(document, row, expected):
    if isinstance(document, bytes):
        raise TypeError(f"{expected}; document {row} is bytes: decode it first.")
    if _is_missing(document):
        raise ValueError(
            f"{expected}; document {row} is missing ({document!r}): drop it, or give "
            "an empty string."
        )
    raise TypeError(
        f"{expected}; document {row} is {document!r:.60}, of type "
        f"{type(document).__name__}. Lists of words need analyzer=lambda words: words."
    )


def _is_missing(document):
    try:
        return document is None or bool(document != document)
    except TypeError:  # pandas.NA is neither equal to itself nor unequal
        return True
    except ValueError:  # an array
        return False
