import collections


def is_mapping(x):
    return isinstance(x, collections.Mapping)
