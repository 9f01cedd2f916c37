"""Parses the file into Python objects, the least any Python tool has to do."""

import sys

import orjson

with open(sys.argv[1], "rb") as trace:
    assert orjson.loads(trace.read())["traceEvents"]
