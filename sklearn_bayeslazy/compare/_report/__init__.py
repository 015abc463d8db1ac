"""The report of a comparison: one HTML page with figures and code."""
