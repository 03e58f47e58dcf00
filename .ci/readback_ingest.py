#!/usr/bin/env python3
"""Reads with Pillow, numpy, pycocotools and h5py what `hdseg ingest` reads: for its tests to compare with, or to compare a whole data set.

  readback_ingest.py odd   DIR OUT   every picture below DIR as raw RGB in OUT, listed in OUT/index.csv
  readback_ingest.py voc   DEVKIT SET NUMBER OUT
                                     for every picture of an image set whose mask has NUMBER: OUT/ID.mask, one byte a
                                     pixel (0 ground, 1 figure, 255 void)
  readback_ingest.py hdf5  OUT COUNT  the HDF5 files OUT/{earliest,latest,matlab}.h5, which the tests of the HDF5 reader
                                     describe; COUNT is how many images the HDSeg layout in them has
  readback_ingest.py small OUT       OUT/small-{earliest,latest}.h5: a little of everything, to start fuzzing from
  readback_ingest.py rle   IN OUT    instances JSON IN: per annotation the mask that pycocotools decodes, OUT/ID.mask
  readback_ingest.py made  DEVKIT SET NUMBER OUT
                                     sources of other kinds made of an image set's pictures with NUMBER: OUT/coco (instances.json
                                     by pycocotools, images/) and OUT/segments.mat (ImageNet-Segmentation's layout, by h5py)
  readback_ingest.py compare STAGE NUMBER ROOT...
                                     everything that the manifest STAGE (OUT/stages/ingest.yaml) names, held against the sources
                                     that were given to ingest, folders or archives of pictures or boxes: bytes, pixels, masks and boxes; NUMBER is the class in VOC. Prints what
                                     it compared, exits with 1 on any difference

Needs Pillow and numpy; rle and made need pycocotools, hdf5 and made h5py, compare PyYAML and whatever the sources need.
"""
import csv
import hashlib
import io
import json
import math
import os
import re
import sys
import tarfile

import numpy as np

IMAGENET = re.compile(r'n[0-9]{8}_[0-9]+$')

try:
    from PIL import Image, ImageFile, ImageOps
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


def made(devkit, which, number, out):
    import h5py
    from pycocotools import mask as rle
    with open(os.path.join(devkit, 'ImageSets', 'Segmentation', which + '.txt')) as f:
        ids = [line.split()[0] for line in f if line.strip()]
    os.makedirs(os.path.join(out, 'coco', 'images'))
    images, annotations = [], []
    with h5py.File(os.path.join(out, 'segments.mat'), 'w', userblock_size=512) as mat:
        value, cells, refs = mat.create_group('value'), mat.create_group('#refs#'), {'img': [], 'gt': [], 'id': []}
        for i in ids:
            a = np.asarray(Image.open(os.path.join(devkit, 'SegmentationClass', i + '.png')))
            if not (a == int(number)).any():
                continue
            k = len(images)
            jpg = os.path.join(devkit, 'JPEGImages', i + '.jpg')
            with open(jpg, 'rb') as src, open(os.path.join(out, 'coco', 'images', i + '.jpg'), 'wb') as dst:
                dst.write(src.read())
            images.append({'id': k, 'file_name': i + '.jpg', 'width': a.shape[1], 'height': a.shape[0]})
            h, w = a.shape
            if k % 2:  # a compressed run length and a polygon that reaches over the border
                seg = rle.encode(np.asfortranarray((a == int(number)).astype(np.uint8)))
                seg = {'size': [h, w], 'counts': seg['counts'].decode()}
                annotations.append({'id': 2 * k, 'image_id': k, 'category_id': 1, 'iscrowd': 0, 'segmentation': seg})
            annotations.append({'id': 2 * k + 1, 'image_id': k, 'category_id': 1, 'iscrowd': 0,
                                'segmentation': [[w * .5, -3.5, w + 2.25, h * .3, w * .7, h * .6, w * .21, h * .33]]})
            if k < 20:
                cells['i%d' % k] = np.asarray(Image.open(jpg).convert('RGB')).transpose(2, 1, 0)
                cells['m%d' % k] = (a == int(number)).astype(np.uint8).T
                cells['c%d' % k] = np.array([[cells['m%d' % k].ref]], h5py.ref_dtype)
                cells['n%d' % k] = np.array([[ord(c)] for c in 'n02374451_%d' % k], np.uint16)
                for field, key in (('img', 'i'), ('gt', 'c'), ('id', 'n')):
                    refs[field].append([cells['%s%d' % (key, k)].ref])
        for field in refs:
            value.create_dataset(field, data=np.array(refs[field], h5py.ref_dtype))
    with open(os.path.join(out, 'coco', 'instances.json'), 'w') as f:
        json.dump({'images': images, 'annotations': annotations, 'categories': [{'id': 1, 'name': 'horse'}]}, f)


def upright(a, tag):
    """What EXIF orientation TAG makes of stored pixels."""
    return {1: lambda: a, 2: lambda: a[:, ::-1], 3: lambda: a[::-1, ::-1], 4: lambda: a[::-1], 5: lambda: a.T,
            6: lambda: np.rot90(a, -1), 7: lambda: a[::-1, ::-1].T, 8: lambda: np.rot90(a)}[tag]()


# Values of figure-ground masks, in the order in which a mask is taken for them.
CONVENTIONS = [{0: 0, 1: 1}, {0: 0, 255: 1}, {0: 0, 1: 1, 255: 255}, {0: 0, 128: 255, 255: 1}]


def figure_ground(a, name):
    used = set(np.unique(a).tolist())
    for c in CONVENTIONS:
        if used <= set(c):
            return np.vectorize(c.get, otypes=[int])(a)
    raise ValueError('%s: values %s' % (name, sorted(used)))


class Sources:
    """Finds the files that origins name: ROOT/path, ROOT.tar!member, ROOT/a.tar!b.tar.gz!member."""

    def __init__(self, roots):
        self.roots, self.tars, self.boxes, self.coco, self.mats = {}, {}, {}, [], {}
        for r in roots:
            r = r.rstrip('/')
            self.roots[os.path.basename(r)] = r
            if r.endswith('.mat'):
                import h5py
                f = h5py.File(r)
                names = [''.join(chr(c) for c in f[x][()].ravel()) for x in f['value/id'][()].ravel()]
                self.mats[os.path.basename(r)] = f, {n: k for k, n in enumerate(names)}
            elif os.path.isfile(r):
                with open(r, 'rb') as f:
                    self.find(r, f)
            for d, _, files in os.walk(r, followlinks=True):
                for name in sorted(files):
                    if name == 'instances.json':
                        from pycocotools.coco import COCO
                        sys.stdout = open(os.devnull, 'w')
                        self.coco.append(COCO(os.path.join(d, name)))
                        sys.stdout = sys.__stdout__
                    elif name.endswith(('.xml', '.tar.gz', '.tgz', '.tar')):
                        with open(os.path.join(d, name), 'rb') as f:
                            self.find(os.path.join(d, name), f)

    def find(self, name, f):
        """Keeps the box files named like ImageNet's pictures, in archives of any kind; the first of a name counts."""
        base = os.path.basename(name)
        if base.endswith('.xml') and IMAGENET.match(base[:-4]):
            import xml.etree.ElementTree as xml
            self.boxes.setdefault(base[:-4], xml.parse(f).getroot())
        elif base.endswith(('.tar.gz', '.tgz', '.tar')):
            with tarfile.open(fileobj=f) as t:
                for m in t:
                    if m.isfile() and m.name.endswith(('.xml', '.tar.gz', '.tgz', '.tar')):
                        self.find(m.name, t.extractfile(m))

    def read(self, origin):
        """The bytes of an origin; FileNotFoundError or KeyError if there is no such file."""
        outer, _, member = origin.rpartition('!')
        if not outer:
            first, _, rest = origin.partition('/')
            with open(os.path.join(self.roots[first], rest) if rest else self.roots[first], 'rb') as f:
                return f.read()
        if outer not in self.tars:
            self.tars[outer] = tarfile.open(fileobj=io.BytesIO(self.read(outer)))
        return self.tars[outer].extractfile(member).read()

    def mask(self, r, number):
        """The mask that the source gives to a record, None if it has none."""
        origin, source = r['image']['origin'], r['source']
        if source == 'imagenet':
            return None
        if source == 'imagenet-segmentation':
            name, _, key = origin.partition('!')
            f, index = self.mats[name]
            cell = f[f['value/gt'][()].ravel()[index[key]]]
            return f[cell[()].ravel()[0]][()].T
        if source == 'coco':
            (coco, image), = [(c, i) for c in self.coco for i in c.dataset['images']
                              if re.split('[/!]', origin)[-1] == os.path.basename(i['file_name'])]
            return np.max([coco.annToMask(a) for a in coco.imgToAnns[image['id']]], axis=0)

        def beside(folder, instead, suffix):
            """The file of the same name in another folder, None if it is not there."""
            head, mid, tail = origin.rpartition(folder + '/')
            try:
                return self.read(head + instead + '/' + os.path.splitext(tail)[0] + suffix) if mid else None
            except (FileNotFoundError, KeyError):
                return None

        if source == 'stanford':
            a = np.loadtxt(io.BytesIO(beside('images', 'labels', '.regions.txt')), dtype=int, ndmin=2)
            return np.where(a < 0, 255, a == 7)
        if source.startswith('voc'):
            a = np.asarray(Image.open(io.BytesIO(beside('JPEGImages', 'SegmentationClass', '.png'))))
            return np.where(a == 255, 255, a == number)
        data = beside('images', 'masks', '.png')
        if data is None:
            return None
        a = np.asarray(Image.open(io.BytesIO(data)))
        a = figure_ground(a if a.ndim == 2 else a[:, :, 0], origin)
        # The record says what the mask follows; that it does not say it for nothing is what the tests of ingest are for.
        return upright(a, r['image']['orientation'] if 'mask_follows_stored' in r['image'].get('notes', []) else 1)

    def box(self, r):
        """The boxes of an ImageNet record, scaled from the size that the annotator saw."""
        root = self.boxes.get(r['id'])
        if root is None:
            return []
        w, h = (float(root.findtext('size/' + k)) for k in ('width', 'height'))
        sx, sy, out = r['image']['width'] / w, r['image']['height'] / h, set()
        for o in root.iter('object'):
            x0, y0, x1, y1 = (float(o.findtext('bndbox/' + k)) for k in ('xmin', 'ymin', 'xmax', 'ymax'))
            x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            b = (math.floor((x0 - 1) * sx + 1e-6), math.floor((y0 - 1) * sy + 1e-6), math.ceil(x1 * sx - 1e-6), math.ceil(y1 * sy - 1e-6))
            out.add((max(b[0], 0), max(b[1], 0), min(b[2], r['image']['width']), min(b[3], r['image']['height'])))
        return sorted(out, key=lambda b: (b[1], b[0], b[3], b[2]))


def compare(stage, number, *roots):
    import yaml
    out, sources, wrong = os.path.dirname(os.path.dirname(stage)), Sources(roots), []
    n = {'records': 0, 'pictures': 0, 'masks': 0, 'mask pixels': 0, 'boxes': 0}
    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    with open(stage) as f:
        index = yaml.load(f, loader)
    for part in index['parts']:
        with open(os.path.join(out, part['path'])) as f:
            records = yaml.load(f, loader)
        for r in records:
            n['records'] += 1
            im = r['image']
            with open(os.path.join(out, im['path']), 'rb') as f:
                data = f.read()
            if hashlib.sha256(data).hexdigest() != im['sha256']:
                wrong.append((r['id'], 'sha256'))
            if r['source'] == 'imagenet-segmentation':
                name, _, key = im['origin'].partition('!')
                f, index = sources.mats[name]
                a = f[f['value/img'][()].ravel()[index[key]]][()].T
                if a.ndim == 2:
                    a = np.repeat(a[:, :, None], 3, 2)
            else:
                if data != sources.read(im['origin']):
                    wrong.append((r['id'], 'bytes'))
                picture = Image.open(io.BytesIO(data))
                if im['orientation'] != 1:
                    picture = ImageOps.exif_transpose(picture)
                a = rgb(picture)
            if a.shape != (im['height'], im['width'], 3) or hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest() != im['pixels']:
                wrong.append((r['id'], 'pixels'))
            n['pictures'] += 1
            want, masks = sources.mask(r, int(number)), r.get('masks', [])
            if (want is None) != (not masks):
                wrong.append((r['id'], 'has %d masks' % len(masks)))
            for m in masks:
                got = np.asarray(Image.open(os.path.join(out, m['path'])))
                n['masks'] += 1
                n['mask pixels'] += got.size
                if 'mask_resized' in im.get('notes', []) or want is None:
                    n['masks'] -= 1  # scaled, or already said to be one too many
                elif got.shape != want.shape or (got != want).any():
                    wrong.append((r['id'], 'mask'))
            if r['source'] == 'imagenet':
                got = [(b['xMin'], b['yMin'], b['xMax'], b['yMax']) for b in r.get('boxes', [])]
                n['boxes'] += len(got)
                if got != sources.box(r):
                    wrong.append((r['id'], 'boxes', got, sources.box(r)))
    print('%s: ' % stage + ', '.join('%d %s' % (v, k) for k, v in n.items()) + ': %d differences' % len(wrong))
    for w in wrong[:20]:
        print('differs:', *w)
    if wrong or n['records'] == 0:
        sys.exit(1)


if __name__ == '__main__':
    {'odd': odd, 'voc': voc, 'rle': rle, 'hdf5': hdf5, 'small': small, 'made': made, 'compare': compare}[sys.argv[1]](*sys.argv[2:])
