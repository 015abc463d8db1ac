"""What every folder may use: kernels, threads, checks, shims for scikit-learn."""
