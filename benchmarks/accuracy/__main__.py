"""Measure accuracy: ``python -m benchmarks.accuracy NAME [PART ...] [--quick]``.

NAME is a page; PART is a table, a learner or a section of it, all by default. The
tables are read from the folder BAYESLAZY_DATA. Results are written to a JSON file in
``doc/`` and to the page made of it.
"""

import argparse

from benchmarks.accuracy import (
    belief_network,
    boosting,
    case_based,
    hashing,
    left_out,
    local_regression,
    naive_bayes,
    neighbors,
    out_of_the_box,
    text,
    uncertainty,
    wide,
)
from benchmarks.accuracy._experiment import run

EXPERIMENTS = {
    "naive_bayes": naive_bayes.EXPERIMENT,
    "text": text.EXPERIMENT,
    "neighbors": neighbors.EXPERIMENT,
    "hashing": hashing.EXPERIMENT,
    "local_regression": local_regression.EXPERIMENT,
    "belief_network": belief_network.EXPERIMENT,
    "boosting": boosting.EXPERIMENT,
    "case_based": case_based.EXPERIMENT,
    "left_out": left_out.EXPERIMENT,
    "uncertainty": uncertainty.EXPERIMENT,
    "out_of_the_box": out_of_the_box.EXPERIMENT,
    "wide": wide.EXPERIMENT,
}


def main(arguments=None):
    """Run the experiment that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=EXPERIMENTS, metavar="NAME")
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument(
        "--quick", action="store_true", help="small samples; print and write nothing"
    )
    options = parser.parse_intermixed_args(arguments)
    experiment = EXPERIMENTS[options.name]
    unknown = [part for part in options.parts if part not in experiment.parts]
    if unknown:
        known = ", ".join(experiment.parts)
        parser.error(f"unknown PART {', '.join(unknown)}; choose from: {known}")
    run(experiment, options.parts, options.quick)


if __name__ == "__main__":
    main()
