#!/usr/bin/env python3
"""Decodes with Pillow what `hdseg ingest` decodes, for the tests of ingest to compare with.

  readback_ingest.py odd   DIR OUT   every picture below DIR as raw RGB in OUT, listed in OUT/index.csv
  readback_ingest.py voc   DEVKIT SET NUMBER OUT
                                     for every picture of an image set whose mask has NUMBER: OUT/ID.mask, one byte a
                                     pixel (0 ground, 1 figure, 255 void)
  readback_ingest.py hdf5  OUT COUNT  the HDF5 files OUT/{earliest,latest,matlab}.h5, which the tests of the HDF5 reader
                                     describe; COUNT is how many images the HDSeg layout in them has
  readback_ingest.py small OUT       OUT/small-{earliest,latest}.h5: a little of everything, to start fuzzing from
  readback_ingest.py rle   IN OUT    instances JSON IN: per annotation the mask that pycocotools decodes, OUT/ID.mask

Needs Pillow and numpy; rle needs pycocotools, hdf5 needs h5py too.
"""
import csv
import json
import os
import sys

import numpy as np

try:
    from PIL import Image, ImageFile
    Image.MAX_IMAGE_PIXELS = 100_000_000
    ImageFile.LOAD_TRUNCATED_IMAGES = False
except ImportError:
    pass  # hdf5 does without


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


def hdf5(out, count):
    import h5py
    text = h5py.string_dtype()
    for name, args in (('earliest', {}), ('latest', {'libver': 'latest'}), ('matlab', {'userblock_size': 512})):
        with h5py.File(os.path.join(out, name + '.h5'), 'w', **args) as f:
            for i in range(int(count)):  # HDSeg's layout
                n, e = 2 + i % 3, 1 + i % 2
                f['superpixel_count_%06d' % i] = np.int64(n)
                f['edge_count_%06d' % i] = np.int64(e)
                f['edge_structure_%06d' % i] = np.arange(2 * e, dtype=np.int64).reshape(e, 2) % n
                f['features_%06d' % i] = (np.arange(5 * n, dtype=np.float32).reshape(n, 5) + i) / 4
                f['labels_%06d' % i] = np.arange(n, dtype=np.int64) % 2
                f.create_dataset('annotation_file_%06d' % i, data='annoa_2007_%06d.png' % i, dtype=text)
                f.create_dataset('image_name_%06d' % i, data='imga_2007_%06d.png' % i, dtype=text)
            g = f.create_group('kinds')
            g['int8'] = np.array([-1, 2], np.int8)
            g['uint16be'] = np.array([1, 65535], '>u2')
            g['int32'] = np.array([[-5, 6, 7]], np.int32)
            g['uint64'] = np.array([2 ** 63], np.uint64)
            g['float64be'] = np.array([0.5, -2.25], '>f8')
            g['bool'] = np.array([True, False])
            g['fixed'] = np.array([b'ab', b'cde'], 'S4')
            g.create_dataset('texts', data=['one', '', 'drei \u00e4'], dtype=text)
            g.create_dataset('empty', data=h5py.Empty('f4'))
            g.create_dataset('none', shape=(0, 3), dtype='i4')
            a = np.arange(7 * 11 * 3, dtype=np.int32).reshape(7, 11, 3)
            g.create_dataset('chunked', data=a, chunks=(3, 4, 2), compression='gzip', shuffle=True, fletcher32=True)
            g.create_dataset('plain', data=a, chunks=(2, 11, 3))
            g.create_dataset('single', data=a, chunks=a.shape, compression='gzip')
            d = g.create_dataset('holes', shape=(10, 10), dtype='i2', chunks=(4, 4), fillvalue=-7)
            d[5:7, 9] = 1
            g.create_dataset('many', data=np.arange(3000, dtype=np.uint8), chunks=(1,))
            h = f.create_group('value')  # as in gtsegs_ijcv.mat
            cell = f.create_group('#refs#')
            for k in range(2):
                cell['i%d' % k] = np.arange(3 * 4 * 5, dtype=np.uint8).reshape(3, 4, 5) + k
                cell['m%d' % k] = (np.arange(4 * 5).reshape(4, 5) % 3 == k).astype(np.uint8)
                cell['c%d' % k] = np.array([[cell['m%d' % k].ref]], h5py.ref_dtype)
                cell['n%d' % k] = np.array([[ord(c)] for c in 'n01440764_%d' % k], np.uint16)
            for field in 'img', 'gt', 'id':
                key = {'img': 'i', 'gt': 'c', 'id': 'n'}[field]
                h.create_dataset(field, data=np.array([[cell[key + '%d' % k].ref] for k in range(2)], h5py.ref_dtype))


def small(out):
    import h5py
    for name in 'earliest', 'latest':
        with h5py.File(os.path.join(out, 'small-%s.h5' % name), 'w', libver=name) as f:
            h, cell = f.create_group('value'), f.create_group('#refs#')
            cell['i'] = np.arange(3 * 2 * 2, dtype=np.uint8).reshape(3, 2, 2)
            cell['m'] = np.array([[0, 1], [1, 0]], np.uint8)
            cell['c'] = np.array([[cell['m'].ref]], h5py.ref_dtype)
            cell['n'] = np.array([[ord(c)] for c in 'n01440764_0'], np.uint16)
            for field, key in (('img', 'i'), ('gt', 'c'), ('id', 'n')):
                h[field] = np.array([[cell[key].ref]], h5py.ref_dtype)
            f.create_dataset('chunked', data=np.arange(30, dtype=np.int16).reshape(5, 6), chunks=(3, 4), compression='gzip', shuffle=True)
            f.create_dataset('texts', data=['one', ''], dtype=h5py.string_dtype())


if __name__ == '__main__':
    {'odd': odd, 'voc': voc, 'rle': rle, 'hdf5': hdf5, 'small': small}[sys.argv[1]](*sys.argv[2:])
