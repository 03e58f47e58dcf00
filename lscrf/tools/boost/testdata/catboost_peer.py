#!/usr/bin/env python3
"""Trains CatBoost as lscrf/tools/boost is trained and prints one line of numbers: the peer of TestPeers.

  pip install numpy catboost
  catboost_peer.py FILE.npz --rows N --borders B --threads T --seed S --trees N

FILE.npz holds x (rows, features), y (rows), xt, yt for testing, all float32. Prints: train CPU s, train wall s,
test RMSE, predict CPU ms, predict wall ms (medians of five).
"""
import argparse, statistics as st, time
import numpy as np
import catboost

ap = argparse.ArgumentParser()
ap.add_argument('file')
for name, value in (('rows', 200_000), ('borders', 128), ('threads', 1), ('seed', 0), ('trees', 500)):
    ap.add_argument('--' + name, type=int, default=value)
a = ap.parse_args()
z = np.load(a.file)
x, y, xt, yt = z['x'][:a.rows], z['y'][:a.rows], z['xt'], z['yt']
m = catboost.CatBoostRegressor(iterations=a.trees, depth=6, learning_rate=.1, border_count=a.borders, thread_count=a.threads,
                               l2_leaf_reg=3, bootstrap_type='MVS', subsample=.8, rsm=1,  # its defaults, which lscrf/tools/boost is given
                               random_seed=a.seed, verbose=False, allow_writing_files=False)
cpu, wall = time.process_time(), time.perf_counter()
m.fit(x, y)
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
pc, pw = [], []
for _ in range(5):
    c, w = time.process_time(), time.perf_counter()
    p = m.predict(xt, thread_count=a.threads)
    pc.append(time.process_time() - c); pw.append(time.perf_counter() - w)
print(cpu, wall, np.sqrt(((p - yt) ** 2).mean()), st.median(pc) * 1e3, st.median(pw) * 1e3)
