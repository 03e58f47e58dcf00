#!/usr/bin/env python3
"""Decodes with Pillow what `hdseg ingest` decodes, for the tests of ingest to compare with.

  readback_ingest.py odd   DIR OUT   every picture below DIR as raw RGB in OUT, listed in OUT/index.csv
  readback_ingest.py voc   DEVKIT SET NUMBER OUT
                                     for every picture of an image set whose mask has NUMBER: OUT/ID.mask, one byte a
                                     pixel (0 ground, 1 figure, 255 void)
  readback_ingest.py rle   IN OUT    instances JSON IN: per annotation the mask that pycocotools decodes, OUT/ID.mask

Needs Pillow and numpy; rle needs pycocotools too.
"""
import csv
import json
import os
import sys

import numpy as np
from PIL import Image, ImageFile

Image.MAX_IMAGE_PIXELS = 100_000_000
ImageFile.LOAD_TRUNCATED_IMAGES = False


def rgb(im):
    """What convert('RGB') means, but for 16-bit grey, which Pillow clips instead of scaling."""
    if im.mode in ('I', 'I;16', 'I;16B'):
        a = (np.asarray(im).astype(np.uint32) >> 8).astype(np.uint8)
        return np.repeat(a[:, :, None], 3, axis=2)
    return np.asarray(im.convert('RGB'))


def odd(root, out):
    rows = []
    for d, _, files in sorted(os.walk(root)):
        for f in sorted(files):
            path = os.path.join(d, f)
            name, err, w, h, fmt, tag = os.path.relpath(path, root), '', 0, 0, '', 1
            try:
                with Image.open(path) as im:
                    fmt = im.format
                    try:
                        tag = im.getexif().get(0x0112, 1)
                    except Exception:
                        pass
                    a = rgb(im)
                    h, w = a.shape[:2]
                    a.tofile(os.path.join(out, '%d.rgb' % len(rows)))
            except Exception as e:
                err = type(e).__name__
            rows.append([name, fmt, w, h, tag, err])
    with open(os.path.join(out, 'index.csv'), 'w', newline='') as f:
        csv.writer(f).writerows(rows)


def voc(root, which, number, out):
    with open(os.path.join(root, 'ImageSets', 'Segmentation', which + '.txt')) as f:
        ids = [line.split()[0] for line in f if line.strip()]
    for i in ids:
        a = np.asarray(Image.open(os.path.join(root, 'SegmentationClass', i + '.png')))
        if (a == int(number)).any():
            m = np.where(a == 255, 255, np.where(a == int(number), 1, 0)).astype(np.uint8)
            m.tofile(os.path.join(out, i + '.mask'))


def rle(path, out):
    from pycocotools.coco import COCO
    coco = COCO(path)
    for i, a in coco.anns.items():
        coco.annToMask(a).astype(np.uint8).tofile(os.path.join(out, '%d.mask' % i))


if __name__ == '__main__':
    {'odd': odd, 'voc': voc, 'rle': rle}[sys.argv[1]](*sys.argv[2:])
