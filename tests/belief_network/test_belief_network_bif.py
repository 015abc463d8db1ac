"""The Bayesian Interchange Format: reading, writing, and errors."""

import numpy as np
import pytest
from shared import shared_path

from sklearn_bayeslazy.belief_network._bif import read_bif, write_bif

# Nodes, arcs and free parameters, as listed in the bnlearn repository.
KNOWN = {
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "insurance": (27, 52, 1008),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
}
ODD = """
// a comment
network "odd names" { property author = nobody; }
variable "Asc/Desc (main)" { type discrete [ 3 ] { <5, 5 to 12, 12+ }; }
/* another
   comment */
variable x { property p = 1; type discrete[2]{"a, b",c}; }
variable y { type discrete [ 2 ] { yes, no }; }
probability ( "Asc/Desc (main)" ) { table .2, .3, .5; }
probability ( x ) { table 0.25 , 0.75 ; }
probability ( y | x, "Asc/Desc (main)" ) {
  default 0.5, 0.5;
  ("a, b", 12+) 1.0, 0.0;
  (c, 5 to 12) 1e-3, .999;
}
"""


@pytest.mark.parametrize("name", KNOWN)
def test_known_networks_are_read_and_written(name):
    path = shared_path("bif", f"{name}.bif")
    network = read_bif(path.read_text(encoding="utf-8"))
    found = network.n_nodes, len(network.arcs()), network.n_free_parameters
    assert found == KNOWN[name]
    assert_equal(read_bif(write_bif(network)), network)


def assert_equal(found, expected):
    assert found.names == expected.names
    assert found.parents == expected.parents
    for values, other_values in zip(found.values, expected.values):
        assert values.tolist() == other_values.tolist()
    for table, other_table in zip(found.tables, expected.tables):
        np.testing.assert_array_equal(table, other_table)


def test_odd_names_comments_and_defaults():
    network = read_bif(ODD)
    assert network.names == ("Asc/Desc (main)", "x", "y")
    assert network.values[0].tolist() == ["<5", "5 to 12", "12+"]
    assert network.values[1].tolist() == ["a, b", "c"]
    assert network.parents[2] == (0, 1)  # axes as the nodes ascend
    table = network.tables[2]
    np.testing.assert_array_equal(table[2, 0], [1.0, 0.0])
    np.testing.assert_array_equal(table[1, 1], [1e-3, 0.999])
    np.testing.assert_array_equal(table[0, 0], [0.5, 0.5])
    assert_equal(read_bif(write_bif(network)), network)


def test_the_last_parent_varies_fastest_in_a_table():
    network = read_bif(
        """variable a { type discrete [ 2 ] { t, f }; }
        variable b { type discrete [ 2 ] { t, f }; }
        probability ( a ) { table .5, .5; }
        probability ( b | a ) { table .9, .2, .1, .8; }"""
    )
    np.testing.assert_array_equal(network.tables[1], [[0.9, 0.1], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("variable y", "variabel y"), "expected variable or probability"),
        (("variable y", "variable x"), "is declared twice"),
        (("discrete [ 3 ]", "continuous [ 3 ]"), "only discrete"),
        (("yes, no }", "yes, yes }"), "distinct values"),
        ((".2, .3, .5", ".2, .3"), "expected 3 numbers, got 2"),
        ((".2, .3, .5", ".2, .3, x"), "expected numbers"),
        ((".2, .3, .5", ".2, .3, .9"), "sum to 1"),
        ((".2, .3, .5", "-.2, .7, .5"), "sum to 1"),
        (("  default 0.5, 0.5;", ""), "lacks a row"),
        (("( x )", "( z )"), "no variable 'z'"),
        (("( x )", "( y )"), "has two tables|no variable|parents"),
        (('("a, b", 12+)', '("a, b", 13+)'), "are not values"),
        (('("a, b", 12+)', '("a, b")'), "has 2 parents"),
        (('"a, b",c', '"a, b,c'), "unclosed quote"),
        (("(c, 5 to 12) 1e-3, .999;\n}", "(c, 5 to 12) 1e-3"), "ends in the middle"),
        (("probability ( x ) { table 0.25 , 0.75 ; }", ""), "no table of 'x'"),
    ],
)
def test_invalid_bif_raises_a_clear_error(wrong, message):
    assert wrong[0] in ODD
    with pytest.raises(ValueError, match=message):
        read_bif(ODD.replace(*wrong))


@pytest.mark.parametrize("text", ["", "   \n", "// nothing"])
def test_an_empty_text_declares_no_variable(text):
    with pytest.raises(ValueError, match="no variable"):
        read_bif(text)


def test_a_quote_in_a_name_cannot_be_written():
    network = read_bif(ODD)
    object.__setattr__(network, "names", ('a"b', "x", "y"))
    with pytest.raises(ValueError, match="contains a double quote"):
        write_bif(network)
