"""Reads files of many formats as named columns of numbers or strings."""

from ._read import CsvFormat, RawFile, read_file

__all__ = ["CsvFormat", "RawFile", "read_file"]
