"""Loads a snapshot into Python objects, the least any Python tool has to do."""

import pickle
import sys

with open(sys.argv[1], "rb") as snapshot:
    assert pickle.load(snapshot)["device_traces"]
