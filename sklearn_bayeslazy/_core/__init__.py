"""What every room may use: kernels, threads, checks, shims for scikit-learn."""
