from sklearn.datasets.samples_generator import make_blobs


def points(n):
    return make_blobs(n)[0]
