def rows():
    return open('gauge_of_mine.csv').read().split()
