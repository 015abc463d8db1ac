"""The tests of sklearn_bayeslazy, in the folders of the package."""
