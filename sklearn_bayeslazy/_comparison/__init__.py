"""The command line's parts: read a table, compare learners on it, show the results."""
