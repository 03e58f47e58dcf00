#!/usr/bin/env python3
"""Makes real inference problems from the shared data, and times the peers of lscrf/tools/mrf on them.

  pip install numpy opencv-contrib-python-headless thinqpbo PyMaxflow
  peers_mrf.py make OUT --data DIR [--thin 3]   writes OUT/horse.mrf, dog.mrf (2 labels), street8.mrf, street11.mrf
  peers_mrf.py time FILE.mrf [--runs 7]         prints, per problem, thinqpbo's and PyMaxflow's energy and least CPU time, as CSV

A problem is a least-squares CRF on about 280 superpixels, trained on some images and laid out on others:
mean color, center, and rootSIFT at the center of both superpixels regress the indicator of each ordered label
pair; a table holds -log of the prediction clamped to [1e-9, 1]. FILE.mrf is little-endian: per problem int32
L, N, E, then float64 unary[N*L], int32 edges[E*2], float64 pair[E*L*L]. --thin takes every n-th image.
"""
import argparse, glob, os, sys, time
import numpy as np

SEGMENTS = 350  # asked for; what SLIC returns is fewer


def superpixels(image):
    import cv2
    h, w = image.shape[:2]
    slic = cv2.ximgproc.createSuperpixelSLIC(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), cv2.ximgproc.SLIC,
                                             int(round((h * w / SEGMENTS) ** .5)), 10)
    slic.iterate(10)
    slic.enforceLabelConnectivity(25)
    return slic.getLabels()


def describe(image):
    """Labels per pixel, features per superpixel, edges i < j."""
    import cv2
    s = superpixels(image)
    n, flat = s.max() + 1, s.ravel()
    count = np.bincount(flat, minlength=n)
    mean = lambda v: np.bincount(flat, v.ravel(), n) / count
    yy, xx = np.mgrid[:s.shape[0], :s.shape[1]]
    x, y = mean(xx), mean(yy)
    color = np.stack([mean(image[..., c]) for c in range(3)], 1) / 255
    keys = [cv2.KeyPoint(float(a), float(b), 20, 0) for a, b in zip(x, y)]
    _, sift = cv2.SIFT_create().compute(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), keys)
    sift = np.sqrt(sift / (sift.sum(1, keepdims=True) + 1e-9)) if sift is not None and len(sift) == n else np.zeros((n, 128))
    features = np.hstack([color, (x / s.shape[1])[:, None], (y / s.shape[0])[:, None], sift])
    pairs = np.vstack([np.stack([s[:, :-1].ravel(), s[:, 1:].ravel()], 1), np.stack([s[:-1].ravel(), s[1:].ravel()], 1)])
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], 1), axis=0)
    return s, features, pairs.astype(np.int32)


def majority(s, labels, classes):
    """The most frequent label of each superpixel, -1 where none is known."""
    n, ok = s.max() + 1, labels >= 0
    votes = np.bincount(s[ok] * classes + labels[ok], minlength=n * classes).reshape(n, classes)
    return np.where(votes.sum(1) > 0, votes.argmax(1), -1)


def figures(data, thin, kind, voc):
    """The manual tier for training, the test split to lay problems out on."""
    import cv2
    from PIL import Image
    train, root = [], os.path.join(data, 'VOCdevkit/VOC2012')
    for f in sorted(glob.glob(root + '/SegmentationClass/*.png')):
        m = np.array(Image.open(f))
        if (m == voc).any():
            train.append((root + '/JPEGImages/' + os.path.basename(f)[:-4] + '.jpg', np.where(m == 255, -1, (m == voc).astype(int))))
    train = [(*describe(cv2.imread(f)), m) for f, m in train[::thin]]
    return train, [describe(cv2.imread(f)) for f in sorted(glob.glob(f'{data}/test/{kind}/images/*.jpg'))[::thin]]


def streets(data, thin):
    """Blocks of 20 frames in turn for training and to lay problems out on."""
    import cv2
    train, test = [], []
    for k, f in enumerate(sorted(glob.glob(data + '/iccv09Data/images/*.jpg'))):
        if k % thin:
            continue
        if k // 20 % 2:
            test.append(describe(cv2.imread(f)))
        else:
            train.append((*describe(cv2.imread(f)), np.loadtxt(f.replace('/images/', '/labels/').replace('.jpg', '.regions.txt'), dtype=int)))
    return train, test


def merge(streets, table):
    train, test = streets
    return [(s, x, e, np.where(m < 0, -1, table[m])) for s, x, e, m in train], test


def fit(train, classes):
    """Least squares of the indicators of all ordered label pairs, both orientations of each edge, paper's balance for two labels."""
    pairs = classes ** 2
    gram, right, count = 0, 0, np.zeros(pairs)
    for s, x, e, m in train:
        y = majority(s, m, classes)
        e = e[(y[e] >= 0).all(1)]
        rows = np.vstack([np.hstack([x[e[:, a]], x[e[:, 1 - a]], np.ones((len(e), 1))]) for a in (0, 1)])
        want = np.concatenate([y[e[:, a]] * classes + y[e[:, 1 - a]] for a in (0, 1)])
        count += np.bincount(want, minlength=pairs)
        if classes == 2:  # balancing wants the products per label pair
            gram = gram + np.stack([rows[want == k].T @ rows[want == k] for k in range(pairs)])
        else:
            gram = gram + rows.T @ rows
        right = right + np.stack([rows[want == k].sum(0) for k in range(pairs)], 1)
    if classes == 2:
        same, other = count[0] + count[3], count[1] + count[2]
        weight = np.array([same, other, other, same]) / 2 / count
        gram, right = np.tensordot(weight, gram, 1), right * weight
    w = np.linalg.solve(gram + 1e-6 * np.trace(gram) / len(gram) * np.eye(len(gram)), right)
    rare = count < 20
    return w, rare


def lay(described, w, rare, classes):
    _, x, e = described
    f = lambda a, b: np.hstack([x[e[:, a]], x[e[:, b]], np.ones((len(e), 1))]) @ w
    back = f(1, 0).reshape(-1, classes, classes).transpose(0, 2, 1).reshape(-1, classes ** 2)
    p = np.clip((f(0, 1) + back) / 2, 1e-9, 1)
    p[:, rare] = 1e-3
    return classes, np.zeros((len(x), classes)), e, -np.log(p)


def make(out, data, thin):
    os.makedirs(out, exist_ok=True)
    few8 = np.array([0, 1, 1, 2, 3, 4, 1, 5, 6, 7, 7])  # poles and signs to building, cyclists to pedestrians
    street = streets(data, thin)
    for name, classes, (train, test) in (
            ('horse', 2, figures(data, thin, 'horse', 13)), ('dog', 2, figures(data, thin, 'dog', 12)),
            ('street8', 8, merge(street, few8)), ('street11', 11, merge(street, np.arange(11)))):
        w, rare = fit(train, classes)
        nodes = edges = 0
        with open(f'{out}/{name}.mrf.part', 'wb') as f:
            for described in test:
                L, unary, e, pair = lay(described, w, rare, classes)
                np.array([L, len(unary), len(e)], '<i4').tofile(f)
                for a, t in ((unary, '<f8'), (e, '<i4'), (pair, '<f8')):
                    a.astype(t).tofile(f)
                nodes, edges = nodes + len(unary), edges + len(e)
        os.replace(f'{out}/{name}.mrf.part', f'{out}/{name}.mrf')
        print(f'{name}: {len(test)} problems, {nodes / len(test):.0f} nodes, {edges / len(test):.0f} edges, {classes} labels', file=sys.stderr)


def read(file):
    with open(file, 'rb') as f:
        while (head := np.fromfile(f, '<i4', 3)).size:
            L, n, m = map(int, head)
            yield (L, np.fromfile(f, '<f8', n * L).reshape(n, L), np.fromfile(f, '<i4', 2 * m).reshape(m, 2),
                   np.fromfile(f, '<f8', m * L * L).reshape(m, L, L))


def energy(problem, y):
    _, u, e, t = problem
    return u[np.arange(len(u)), y].sum() + t[np.arange(len(e)), y[e[:, 0]], y[e[:, 1]]].sum()


def clock(call):
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1e3


def qpbo(problem):
    """Energy with open nodes put to 0, open nodes, bound, ms to build and to solve."""
    import thinqpbo
    _, u, e, t = problem
    g = thinqpbo.QPBODouble()
    ul, el, tl = u.tolist(), e.tolist(), t.reshape(-1, 4).tolist()

    def build():
        g.add_node(len(ul))
        for i, (a, b) in enumerate(ul):
            g.add_unary_term(i, a, b)
        for (i, j), (a, b, c, d) in zip(el, tl):
            g.add_pairwise_term(i, j, a, b, c, d)
    built = clock(build)
    solved = clock(lambda: (g.solve(), g.compute_weak_persistencies()))
    y = np.array([g.get_label(i) for i in range(len(ul))])
    return energy(problem, np.maximum(y, 0)), int((y < 0).sum()), g.compute_twice_lower_bound() / 2, built, solved


def cut(problem):
    """Energy, ms to build and to solve, of a minimum cut; None if the problem is not submodular."""
    import maxflow
    _, u, e, t = problem
    a, b, c, d = t.reshape(-1, 4).T
    if (b + c < a + d).any():
        return None
    n = len(u)
    first = np.bincount(e[:, 0], c - a, n) + np.bincount(e[:, 1], d - c, n)  # E = ... + (b+c-a-d)[i=0, j=1]
    one = u[:, 1] - u[:, 0] + first
    g = maxflow.Graph[float](n, len(e))
    g.add_nodes(n)

    def build():
        g.add_edges(e[:, 0], e[:, 1], b + c - a - d, np.zeros(len(e)))
        for i, v in enumerate(one.tolist()):
            g.add_tedge(i, max(v, 0), max(-v, 0))
    built = clock(build)
    solved = clock(g.maxflow)
    y = np.array([g.get_segment(i) for i in range(n)])
    return energy(problem, y), built, solved


def least(results):
    """The last of some results with its two times replaced by the least ones."""
    if results[-1] is None:
        return '', '', ''
    return (*results[-1][:-2], min(r[-2] for r in results), min(r[-1] for r in results))


def times(file, runs):
    print('labels,nodes,edges,qpbo_energy,qpbo_open,qpbo_bound,qpbo_build_ms,qpbo_solve_ms,cut_energy,cut_build_ms,cut_solve_ms')
    problems = list(read(file))
    passes = [[(qpbo(p), cut(p)) for p in problems] for _ in range(runs)]  # not one problem over and over: caches
    for (L, u, e, _), results in zip(problems, zip(*passes)):
        q, c = zip(*results)
        print(','.join(str(v) for v in (L, len(u), len(e), *least(q), *least(c))))


if __name__ == '__main__':
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('what', choices=['make', 'time'])
    ap.add_argument('path')
    ap.add_argument('--data')
    ap.add_argument('--thin', type=int, default=3)
    ap.add_argument('--runs', type=int, default=7)
    a = ap.parse_args()
    make(a.path, a.data, a.thin) if a.what == 'make' else times(a.path, a.runs)
