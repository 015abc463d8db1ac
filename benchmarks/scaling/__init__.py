"""Time of each estimator by the number of threads, beside what the machine allows."""
