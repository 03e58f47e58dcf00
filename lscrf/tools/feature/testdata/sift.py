# Prints OpenCV's SIFT descriptors at fixed upright key points: one line of 128 numbers each.
# usage: sift.py IMAGE.png SIZE X,Y ...
import sys
import cv2
gray = cv2.imread(sys.argv[1], cv2.IMREAD_GRAYSCALE)
points = [cv2.KeyPoint(float(x), float(y), float(sys.argv[2]), 0) for x, y in (a.split(',') for a in sys.argv[3:])]
kept, rows = cv2.SIFT_create().compute(gray, points)
assert len(kept) == len(points)
for row in rows:
    print(*(int(v) for v in row))
