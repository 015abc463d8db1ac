"""Reads files of any format as frames, without the lines that are no data."""

from ._read_file import read_file
from ._source import STANDARD_INPUT
