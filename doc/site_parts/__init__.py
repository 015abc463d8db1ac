"""Sphinx extensions of this site: formulas, links, pictures, figures, the chart."""
