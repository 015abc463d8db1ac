"""The command line: read a table, compare learners on it, show the results."""
