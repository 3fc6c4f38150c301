def read(path='levels_of_mine.csv'):
    with open(path) as stream:
        return stream.read()
