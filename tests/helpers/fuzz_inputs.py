"""Hostile tables, targets, weights and parameters for the fuzzer, drawn by a seed."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

HUGE, TINY = 1e300, 1e-300
ROWS = (0, 1, 2, 3, 5, 12, 30)
COLUMNS = (1, 2, 3, 5)


def _counts(rng, n, d):
    return rng.poisson(1.5, size=(n, d)).astype(np.float64)


def _with_cells(*values):
    """Return a maker of tables of counts where some cells hold one of the values."""

    def make(rng, n, d):
        X = _counts(rng, n, d)
        where = rng.random(X.shape) < 0.3
        X[where] = rng.choice(values, size=where.sum())
        return X

    return make


def _distinct_scales(rng, n, d):
    return rng.normal(size=(n, d)) * 10.0 ** rng.choice([-300, -30, 0, 30, 300], size=d)


def _repeated_rows(rng, n, d):
    return np.repeat(_counts(rng, 1, d), n, axis=0)


def _read_only(rng, n, d):
    X = _counts(rng, n, d)
    X.flags.writeable = False
    return X


def _labels(rng, n, d):
    return rng.choice(np.array(["a", "b", "ç", ""]), size=(n, d))


def _objects(*cells):
    """Return a maker of object arrays of these cells."""

    def make(rng, n, d):
        X = np.empty((n, d), dtype=object)
        for index in np.ndindex(n, d):
            X[index] = cells[rng.integers(len(cells))]
        return X

    return make


def _list_of_lists(rng, n, d):
    return [[1, "a", 2.5, None, True][:d] for _ in range(n)]


def _ragged(rng, n, d):
    return [[1.0] * (d + i % 2) for i in range(n)]


def _unsorted_csr(rng, n, d):
    """Return read-only CSR with unsorted columns, each cell stored in two halves."""
    X = _counts(rng, n, d)
    rows, columns = np.nonzero(X)
    order = np.lexsort((-columns, rows))
    rows, columns = rows[order], columns[order]
    starts = np.append(0, np.cumsum(2 * (X != 0).sum(axis=1)))
    arrays = np.repeat(X[rows, columns] / 2, 2), np.repeat(columns, 2), starts
    for array in arrays:
        array.flags.writeable = False
    return sparse.csr_array(arrays, shape=X.shape)


def _wide_sparse(rng, n, d):
    columns = rng.choice([0, 5, 10**9], size=n)
    entries = np.ones(n), (np.arange(n), columns)
    return sparse.csr_array(entries, shape=(n, 10**9 + 1))


def _sparse(kind, *values):
    def make(rng, n, d):
        return kind(_with_cells(*values)(rng, n, d) if values else _counts(rng, n, d))

    return make


def _pandas_columns(rng, n):
    """Return columns of a pandas frame that few estimators expect."""
    cells = rng.integers(3, size=n)
    day = np.datetime64("2020-01-01") + cells
    return {
        "int": cells,
        "float": cells / 2,
        "text": np.array(["u", "v", "w"], dtype=object)[cells],
        "category": pd.Categorical.from_codes(cells - 1, ["x", "y"]),
        "nullable": pd.array([None if c == 1 else int(c) for c in cells], "Int64"),
        "boolean": pd.array([None if c == 1 else bool(c) for c in cells], "boolean"),
        "string": pd.array(["s" * c for c in cells], "string"),
        "date": pd.Series(day),
        "zone": pd.Series(day).dt.tz_localize("UTC"),
        "duration": pd.to_timedelta(cells, unit="D"),
        "period": pd.PeriodIndex(day, freq="M"),
        "interval": pd.arrays.IntervalArray.from_arrays(cells, cells + 1),
        "sparse": pd.arrays.SparseArray(cells),
        "complex": cells * 1j,
        "tuple": pd.Series([(int(c),) for c in cells], dtype=object),
        "list": pd.Series([[int(c)] for c in cells], dtype=object),
        "huge": pd.Series([2**70 + int(c) for c in cells], dtype=object),
        "mixed": pd.Series([1 if c else "one" for c in cells], dtype=object),
        "missing": pd.Series([None] * n, dtype=object),
        "infinite": np.where(cells == 1, np.inf, cells),
    }


def _pandas(rng, n, d):
    columns = _pandas_columns(rng, n)
    chosen = rng.choice(list(columns), size=d, replace=False)
    return pd.DataFrame({name: columns[name] for name in chosen})


def _repeated_names(rng, n, d):
    return pd.DataFrame(_counts(rng, n, d), columns=["a", "b", "a", "c", "a"][:d])


def _odd_names(rng, n, d):
    names = [0, "a", ("a", 1), None, 2.5]
    return pd.DataFrame(_counts(rng, n, d), columns=pd.Index(names[:d], dtype=object))


def _polars(rng, n, d):
    cells = rng.integers(3, size=n)
    days = [datetime.date(2020, 1, 1 + int(c)) for c in cells]
    columns = {
        "int128": pl.Series(cells.tolist(), dtype=pl.Int128),
        "uint128": pl.Series([2**100 + int(c) for c in cells], dtype=pl.UInt128),
        "uint64": pl.Series([2**63 + int(c) for c in cells], dtype=pl.UInt64),
        "decimal": pl.Series(cells.tolist(), dtype=pl.Int64).cast(pl.Decimal(10, 2)),
        "date": pl.Series(days, dtype=pl.Date),
        "time": pl.Series([datetime.time(int(c)) for c in cells], dtype=pl.Time),
        "duration": pl.Series(cells.tolist(), dtype=pl.Int64).cast(pl.Duration("ms")),
        "enum": pl.Series(["xyz"[c] for c in cells], dtype=pl.Enum(list("zyxw"))),
        "category": pl.Series(["xyz"[c] for c in cells], dtype=pl.Categorical),
        "list": pl.Series([[int(c)] for c in cells], dtype=pl.List(pl.Int64)),
        "struct": pl.Series(
            [{"u": int(c)} for c in cells], dtype=pl.Struct({"u": pl.Int64})
        ),
        "object": pl.Series([str] * n, dtype=pl.Object),
        "null": pl.Series([None] * n, dtype=pl.Null),
        "binary": pl.Series([b"b" * c for c in cells], dtype=pl.Binary),
        "float32": pl.Series(cells.tolist(), dtype=pl.Float32),
        "nan": pl.Series(np.where(cells == 1, np.nan, cells)),
    }
    chosen = rng.choice(list(columns), size=d, replace=False)
    return pl.DataFrame({str(name): columns[str(name)] for name in chosen})


TABLES = {
    "counts": _counts,
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "nan": _with_cells(np.nan),
    "infinity": _with_cells(np.inf, -np.inf),
    "huge": _with_cells(HUGE, -HUGE),
    "largest": _with_cells(np.finfo(float).max, -np.finfo(float).max),
    "tiny": _with_cells(TINY, -TINY, 5e-324),
    "huge and tiny": _with_cells(HUGE, TINY, 0.0),
    "all huge": lambda rng, n, d: HUGE * rng.random((n, d)),
    "all tiny": lambda rng, n, d: TINY * rng.random((n, d)),
    "scales": _distinct_scales,
    "zeros": lambda rng, n, d: np.zeros((n, d)),
    "constant": lambda rng, n, d: np.full((n, d), 7.0),
    "constant huge": lambda rng, n, d: np.full((n, d), HUGE),
    "nearly constant": lambda rng, n, d: 1e9 + 1e-7 * rng.random((n, d)),
    "repeated rows": _repeated_rows,
    "repeated columns": lambda rng, n, d: np.repeat(_counts(rng, n, 1), d, axis=1),
    "all nan": lambda rng, n, d: np.full((n, d), np.nan),
    "read-only": _read_only,
    "columns": lambda rng, n, d: np.asfortranarray(_counts(rng, n, d)),
    "strided": lambda rng, n, d: _counts(rng, 2 * n, 2 * d)[::2, ::-2],
    "float16": lambda rng, n, d: _counts(rng, n, d).astype(np.float16),
    "float32": lambda rng, n, d: (1e38 * rng.random((n, d))).astype(np.float32),
    "long double": lambda rng, n, d: np.full((n, d), np.longdouble(10) ** 400),
    "big endian": lambda rng, n, d: _counts(rng, n, d).astype(">f8"),
    "int8": lambda rng, n, d: rng.integers(-128, 128, (n, d)).astype(np.int8),
    "uint64": lambda rng, n, d: rng.integers(2**63, 2**64, (n, d), dtype=np.uint64),
    "int64": lambda rng, n, d: rng.integers(-(2**63), 2**63 - 1, (n, d)),
    "bool": lambda rng, n, d: rng.random((n, d)) < 0.5,
    "complex": lambda rng, n, d: _counts(rng, n, d) * 1j,
    "datetime": lambda rng, n, d: _counts(rng, n, d).astype("M8[D]"),
    "timedelta": lambda rng, n, d: _counts(rng, n, d).astype("m8[s]"),
    "records": lambda rng, n, d: np.zeros((n, d), dtype=[("a", "i4"), ("b", "f4")]),
    "labels": _labels,
    "bytes": lambda rng, n, d: np.full((n, d), b"b"),
    "numbers as objects": _objects(1, 2.5, np.float32(3), True),
    "integers above 2**63": _objects(2**63, 2**64 + 1, -(2**70)),
    "integers above floats": _objects(10**400, 1),
    "mixed objects": _objects(1, "a", None, b"b", 2.5, np.nan),
    "unhashable objects": _objects([1], {"a": 1}, {2}, np.zeros(2)),
    "odd objects": _objects(object(), len, Ellipsis, datetime.time(1)),
    "missing objects": _objects(None, np.nan, pd.NA, pd.NaT),
    "lists": _list_of_lists,
    "ragged lists": _ragged,
    "one dimension": lambda rng, n, d: _counts(rng, n, 1)[:, 0],
    "three dimensions": lambda rng, n, d: np.zeros((n, d, 2)),
    "number": lambda rng, n, d: 3.0,
    "text": lambda rng, n, d: "a text",
    "nothing": lambda rng, n, d: None,
    "no columns": lambda rng, n, d: np.zeros((n, 0)),
    "csr": _sparse(sparse.csr_array),
    "csr matrix": _sparse(sparse.csr_matrix),
    "csc": _sparse(sparse.csc_array),
    "coo": _sparse(sparse.coo_array),
    "empty csr": lambda rng, n, d: sparse.csr_array((n, d)),
    "sparse nan": _sparse(sparse.csr_array, np.nan),
    "sparse infinity": _sparse(sparse.csr_array, np.inf),
    "sparse huge": _sparse(sparse.csr_array, HUGE, -HUGE, TINY),
    "unsorted csr": _unsorted_csr,
    "wide csr": _wide_sparse,
    "pandas": _pandas,
    "repeated names": _repeated_names,
    "odd names": _odd_names,
    "polars": _polars,
}


def benign_table(rng, n=30, d=3):
    """Return counts and two classes, which every estimator takes."""
    return _counts(rng, n, d), np.arange(n) % 2


def draw_table(rng, hostile, d=None):
    """Return the name of a table, and the table: a hostile one, or counts."""
    name = str(rng.choice(list(TABLES))) if hostile else "counts"
    n = int(rng.choice(ROWS, p=(0.02, 0.06, 0.05, 0.05, 0.1, 0.32, 0.4)))
    d = int(rng.choice(COLUMNS)) if d is None else d
    return name, TABLES[name](rng, n, d)


TARGETS = {
    "classes": lambda rng, n: np.arange(n) % 2,
    "three classes": lambda rng, n: np.arange(n) % 3,
    "names": lambda rng, n: np.array(["no", "yes"])[np.arange(n) % 2],
    "numbers": lambda rng, n: rng.normal(size=n),
    "one class": lambda rng, n: np.zeros(n, dtype=int),
    "all differ": lambda rng, n: np.arange(n),
    "one differs": lambda rng, n: (np.arange(n) == 0).astype(int),
    "objects": lambda rng, n: np.array(["a", "b"], dtype=object)[np.arange(n) % 2],
    "bool": lambda rng, n: np.arange(n) % 2 == 0,
    "huge": lambda rng, n: HUGE * rng.choice([-1, 1], size=n),
    "largest": lambda rng, n: np.finfo(float).max * rng.choice([-1, 1], size=n),
    "tiny": lambda rng, n: TINY * rng.random(n),
    "nan": lambda rng, n: np.where(np.arange(n) % 2, np.nan, 1.0),
    "infinity": lambda rng, n: np.where(np.arange(n) % 2, np.inf, 1.0),
    "uint64": lambda rng, n: np.uint64(2**63) + np.arange(n, dtype=np.uint64) % 2,
    "above 2**63": lambda rng, n: [2**64 + i % 2 for i in range(n)],
    "above floats": lambda rng, n: [10**400 + i % 2 for i in range(n)],
    "none": lambda rng, n: [None, "a"] * (n // 2) + ["a"] * (n % 2),
    "mixed": lambda rng, n: np.array([1, "a"] * n, dtype=object)[:n],
    "nested": lambda rng, n: [[1]] * n,
    "column": lambda rng, n: (np.arange(n) % 2)[:, None],
    "two columns": lambda rng, n: np.stack([np.arange(n) % 2] * 2, axis=1),
    "complex": lambda rng, n: 1j * np.arange(n),
    "dates": lambda rng, n: np.arange(n).astype("M8[D]"),
    "shorter": lambda rng, n: np.arange(max(n - 1, 0)) % 2,
    "nothing": lambda rng, n: None,
    "number": lambda rng, n: 3,
    "sparse": lambda rng, n: sparse.csr_array(np.ones((max(n, 1), 1))),
    "category": lambda rng, n: pd.Series(np.arange(n) % 2, dtype="category"),
    "nullable": lambda rng, n: pd.Series([None, 1] * n, dtype="Int64")[:n],
    "polars": lambda rng, n: pl.Series([i % 2 for i in range(n)], dtype=pl.Int64),
    "int128": lambda rng, n: pl.Series([i % 2 for i in range(n)], dtype=pl.Int128),
}
WEIGHTS = {
    "ones": lambda rng, n: np.ones(n),
    "random": lambda rng, n: rng.random(n),
    "integers": lambda rng, n: rng.integers(0, 3, size=n),
    "zeros": lambda rng, n: np.zeros(n),
    "one row": lambda rng, n: (np.arange(n) == 0).astype(float),
    "one class": lambda rng, n: (np.arange(n) % 2).astype(float),
    "negative": lambda rng, n: -np.ones(n),
    "nan": lambda rng, n: np.full(n, np.nan),
    "infinity": lambda rng, n: np.full(n, np.inf),
    "huge": lambda rng, n: np.full(n, HUGE),
    "tiny": lambda rng, n: np.full(n, TINY),
    "huge and tiny": lambda rng, n: np.where(np.arange(n) % 2, HUGE, TINY),
    "shorter": lambda rng, n: np.ones(max(n - 1, 0)),
    "column": lambda rng, n: np.ones((n, 1)),
    "number": lambda rng, n: 2.0,
    "text": lambda rng, n: ["a"] * n,
    "objects": lambda rng, n: np.full(n, None, dtype=object),
    "above floats": lambda rng, n: [10**400] * n,
}
PARAMETERS = (
    *(None, True, -1, 0, 1, 2, 0.5, -0.5, HUGE, TINY, np.nan, np.inf, "nonsense"),
    *("loo", "auto", "", b"auto", [], {}, (), [1], [np.nan], {"a": 1}, object()),
    *(np.int64(2), np.float32(0.5), np.array([1.0, 2.0, 3.0]), np.array(2), 10**400),
)
# Threads and machines are not what is tested; engines have their own parameters.
UNTOUCHED_PARAMETERS = ("n_jobs", "client")


def draw_targets(rng, n, hostile):
    """Return the name of targets of n rows, and the targets."""
    names = list(TARGETS)
    name = str(rng.choice(names if hostile else names[:2]))
    return name, TARGETS[name](rng, n)


def draw_weights(rng, n, hostile):
    """Return the name of sample weights and the weights, or none."""
    if not hostile:
        return "none", None
    name = str(rng.choice(list(WEIGHTS)))
    return name, WEIGHTS[name](rng, n)
