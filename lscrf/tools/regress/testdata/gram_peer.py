#!/usr/bin/env python3
"""Statistics of all edges with numpy and OpenBLAS, the peer of TestRealStats: rows [x_s, x_t, 1] gathered in chunks
of 4096 and multiplied in float32, summed in float64, then one solve.

  pip install numpy
  gram_peer.py FILE.npz [--runs N]

FILE.npz holds x (nodes, features) float32, y (nodes) uint8 labels 0 and 1, e (edges, 2) int32. Prints the median of CPU
milliseconds per run.
"""
import argparse, os, statistics as st, time
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ[v] = '1'
import numpy as np

ap = argparse.ArgumentParser()
ap.add_argument('file')
ap.add_argument('--runs', type=int, default=9)
args = ap.parse_args()
z = np.load(args.file)
x, y, e = z['x'], z['y'].astype(np.int64), z['e']
width = 2 * x.shape[1] + 1


def fit():
    g, b = np.zeros((width, width)), np.zeros((width, 4))
    for k in range(0, len(e), 4096):
        c = e[k:k + 4096]
        a = np.concatenate([x[c[:, 0]], x[c[:, 1]], np.ones((len(c), 1), np.float32)], 1)
        t = np.eye(4, dtype=np.float32)[y[c[:, 0]] * 2 + y[c[:, 1]]]
        g += a.T @ a
        b += a.T @ t
    return np.linalg.solve(g + 1e-3 * np.eye(width), b)


fit()
cpu = []
for _ in range(args.runs):
    s = time.process_time()
    fit()
    cpu.append(time.process_time() - s)
print(st.median(cpu) * 1e3)
