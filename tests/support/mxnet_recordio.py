"""MXNet's own reader and writer of RecordIO, from its wheel, under Pythons and NumPys that the rest of it no longer knows."""

import importlib.machinery
import sys
import types


def import_recordio():
    """The module mxnet.recordio and what it needs of mxnet: its library, not its operators.

    Raises ImportError where there is no mxnet.
    """
    found = importlib.machinery.PathFinder.find_spec("mxnet")
    if found is None:
        raise ImportError("mxnet is absent")
    package = types.ModuleType("mxnet")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["mxnet"] = package
    from mxnet import recordio

    package.recordio = recordio
    return recordio
