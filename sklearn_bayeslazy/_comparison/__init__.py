"""The main job's parts: read a table, compare learners on it, show what came out."""
