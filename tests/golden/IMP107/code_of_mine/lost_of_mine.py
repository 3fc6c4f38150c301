import collections

collections.Bag
