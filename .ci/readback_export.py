#!/usr/bin/env python3
"""Reads what `hdseg export` wrote with readers that are not ours, and compares pixels, boxes and counts with the data set.

  readback_export.py FORMAT EXPORT MANIFEST

FORMAT is hdseg, coco, voc, webdataset, croissant or imagefolder; MANIFEST is the index that was exported, read here with PyYAML.
What hdseg-records.jsonl says of masks is compared, too. The last line says how many pictures, masks and boxes are equal. Any difference is an error.
"""
import glob
import io
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import yaml
from PIL import Image

EXPORT, WANT, ROOT = '', {}, ''
SEEN = {'pictures': 0, 'masks': 0, 'boxes': 0}

# Upright to stored, by EXIF tag: the inverse of what Pillow's exif_transpose applies.
STORED = {1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
          5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270}


def read(path, needs_mask):
    """What the export must hold."""
    root = os.path.dirname(os.path.abspath(path))
    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    with open(path) as f:
        index = yaml.load(f, loader)
    while not os.path.exists(os.path.join(root, index['name'] + '.yaml')):  # stages/ingest lies a folder deeper
        root = os.path.dirname(root)
    out = {'class': index['class']['name'], 'number': index['class'].get('voc', 1), 'store': root, 'records': []}
    for part in index['parts']:
        with open(os.path.join(root, part['path'])) as f:
            for r in yaml.load(f, loader):
                masks = {m['tier']: m['path'] for m in r.get('masks', [])}  # the newest of a tier is the last
                says = {m['path']: said(m) for m in r.get('masks', [])}
                best = [t for t in ['manual', 'bbox', 'label'] + sorted(masks) if t in masks]
                own = [r['tier']] if r['tier'] in masks else []
                if needs_mask and not masks:
                    continue
                out['records'].append({
                    'id': r['id'], 'split': r['split'], 'tier': r['tier'], 'orientation': r['image']['orientation'],
                    'says': says, 'width': r['image']['width'], 'height': r['image']['height'], 'image': r['image']['path'], 'masks': masks,
                    'mask': masks[best[0]] if best else '', 'own': masks[(own + best)[0]] if best else '',
                    'ignored': 'exif_ignored' in r['image'].get('notes', []),
                    'boxes': [[b[k] for k in ('xMin', 'yMin', 'xMax', 'yMax')] for b in r.get('boxes', [])]})
    return out


def said(m):
    """What a mask's record says beside its pixels: how good it is, what made it, of what, and who voted."""
    return {k: m.get(k) or None for k in ('tier', 'quality', 'wasGeneratedBy', 'wasDerivedFrom', 'used', 'wasAttributedTo')}


def carried():
    """hdseg-records.jsonl says of every exported mask what the manifest says."""
    by = {(r['split'], r['id']): r for r in WANT['records']}
    quality = voters = 0
    with open(os.path.join(EXPORT, 'hdseg-records.jsonl')) as f:
        for line in f:
            r = json.loads(line)['record']
            w = by.pop((r['split'], r['id']))
            assert bool(r.get('masks')) == bool(w['masks']), r['id']
            quality, voters = masks_say(r, w, quality, voters)
    same('carried records', len(by), 0)
    return quality, voters


def masks_say(r, w, quality=0, voters=0):
    for m in r.get('masks') or []:
        got = said(m)
        same('%s %s' % (r['id'], m['tier']), got, w['says'][m['path']])
        quality, voters = quality + (got['quality'] is not None), voters + (got['wasDerivedFrom'] is not None)
    return quality, voters


def array(name):
    with Image.open(name) as im:
        return np.asarray(im)


def mask(r, tier=None, stored=True):
    """The record's mask from the store."""
    with Image.open(os.path.join(ROOT, r['masks'][tier] if tier else r['mask'])) as im:
        how = STORED[r['orientation']] if stored else None
        return np.asarray(im.transpose(how) if how is not None else im)


def boxes(r, stored=True):
    """Boxes, drawn and found again, so that turning them needs no arithmetic."""
    out = []
    for x0, y0, x1, y1 in r['boxes']:
        im = Image.new('L', (r['width'], r['height']))
        im.paste(1, (x0, y0, x1, y1))
        how = STORED[r['orientation']] if stored else None
        a = np.asarray(im.transpose(how) if how is not None else im)
        ys, xs = np.nonzero(a)
        out.append([int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1])
    return sorted(out)


def same(what, got, want):
    if isinstance(want, np.ndarray):
        assert got.shape == want.shape, '%s: got shape %s, want %s' % (what, got.shape, want.shape)
        n = int((got != want).sum())
        assert n == 0, '%s: %d of %d differ' % (what, n, want.size)
    else:
        assert got == want, '%s: got %s, want %s' % (what, got, want)


def image(r, data):
    """The picture's bytes."""
    with open(os.path.join(ROOT, r['image']), 'rb') as f:
        assert f.read() == data, '%s: other bytes' % r['id']
    SEEN['pictures'] += 1


def image_file(r, name):
    with open(name, 'rb') as f:
        image(r, f.read())


def found(m, b):
    SEEN['masks'] += m
    SEEN['boxes'] += b


def coco():
    from pycocotools.coco import COCO
    from pycocotools import mask as tools
    for split in sorted({r['split'] for r in WANT['records']}):
        c = COCO(os.path.join(EXPORT, 'annotations', 'instances_%s.json' % split))
        records = {r['id']: r for r in WANT['records'] if r['split'] == split}
        same('categories', [v['name'] for v in c.cats.values()], [WANT['class']])
        same('images', len(c.imgs), len(records))
        for i, im in c.imgs.items():
            r = records[os.path.splitext(im['file_name'])[0]]
            image_file(r, os.path.join(EXPORT, split, im['file_name']))
            want, got, bb = mask(r), None, []
            got = np.zeros_like(want)
            anns = c.loadAnns(c.getAnnIds(imgIds=[i], iscrowd=None))
            for a in sorted(anns, key=lambda a: -a['iscrowd']):
                m = c.annToMask(a)
                same('area', a['area'], int(tools.area(c.annToRLE(a))))
                got[m == 1] = 255 if a['iscrowd'] else 1
                if not a['iscrowd']:
                    x, y, w, h = a['bbox']
                    bb.append([x, y, x + w, y + h])
            same(r['id'], got, want)
            for b in boxes(r):
                assert b in bb, '%s: box %s is not among %s' % (r['id'], b, bb)
            found(1, len(r['boxes']))
        p = os.path.join(EXPORT, 'annotations', 'instances_%s_polygons.json' % split)
        if os.path.exists(p):
            q = COCO(p)
            for i, a in q.anns.items():
                got, want = q.annToMask(a), c.annToMask(c.anns[i])
                assert not (want & ~got & 1).any(), 'polygon %d leaves figure out' % i


def voc():
    import xml.etree.ElementTree as xml
    root = os.path.join(EXPORT, 'VOCdevkit', 'VOC2012')
    number = WANT['number']
    for split, name in (('train', 'train'), ('test', 'val')):
        with open(os.path.join(root, 'ImageSets', 'Segmentation', name + '.txt')) as f:
            ids = f.read().split()
        records = {r['id']: r for r in WANT['records'] if r['split'] == split}
        same(name, sorted(ids), sorted(records))
        for i in ids:
            r = records[i]
            image_file(r, os.path.join(root, 'JPEGImages', i + '.jpg'))
            with Image.open(os.path.join(root, 'SegmentationClass', i + '.png')) as im:
                same('mode', im.mode, 'P')
                same('palette', im.getpalette()[3:6], [128, 0, 0])
                a = np.asarray(im)
            want = mask(r)
            same(i, a, np.where(want == 1, number, want).astype(np.uint8))
            o = array(os.path.join(root, 'SegmentationObject', i + '.png'))
            same(i + ' objects', (o > 0) & (o < 255), want == 1)
            t = xml.parse(os.path.join(root, 'Annotations', i + '.xml')).getroot()
            size = [int(t.find('size').find(k).text) for k in ('height', 'width')]
            same(i + ' size', size, list(want.shape))
            bb = sorted([int(b.find('xmin').text) - 1, int(b.find('ymin').text) - 1, int(b.find('xmax').text), int(b.find('ymax').text)]
                        for b in t.iter('bndbox'))
            same(i + ' boxes', bb, boxes(r))
            found(1, len(bb))


def neighbors(sp):
    """The pairs of superpixels that share a side of a pixel."""
    out = set()
    for a, b in ((sp[:, 1:], sp[:, :-1]), (sp[1:], sp[:-1])):
        other = a != b
        pairs = np.stack([np.minimum(a, b)[other], np.maximum(a, b)[other]], 1)
        out |= {tuple(v) for v in np.unique(pairs, axis=0).tolist()}
    return out


def hdseg():
    import h5py
    name = WANT['class']
    ds = name[0].upper() + name[1:] + 'Seg'
    suffix = {'manual': 'gt', 'bbox': 'bb', 'label': 'no'}
    by = {(r['split'], r['id']): r for r in WANT['records']}

    def tree(r, folder):
        image_file(r, os.path.join(EXPORT, 'HDSeg', 'images', ds, folder, r['id'] + '.JPEG'))
        for tier in r['masks']:
            if tier in suffix:
                got = array(os.path.join(EXPORT, 'HDSeg', 'annotations', ds, folder, '%s.%s.png' % (r['id'], suffix[tier])))
                same(r['id'], got, mask(r, tier))
                found(1, 0)

    listed, width = 0, 0
    for tail, split in (('', 'train'), ('-test', 'test')):
        p = os.path.join(EXPORT, 'data', name + '-features' + tail + '.bin')
        if not os.path.exists(p):
            continue
        if shutil.which('h5dump'):
            subprocess.run(['h5dump', '-H', p], check=True, stdout=subprocess.DEVNULL)
        else:
            print('SKIPPED in part: h5dump is not installed')
        with h5py.File(p, 'r') as f:
            n = sum(k.startswith('superpixel_count_') for k in f)
            same('datasets', len(f), 7 * n)
            same('images', n, sum(r['split'] == split for r in WANT['records']))
            letters = ''
            for i in range(n):
                def get(k, i=i):
                    return f['%s_%06d' % (k, i)][()]
                nodes, edges = int(get('superpixel_count')), int(get('edge_count'))
                e, x, y = get('edge_structure'), get('features'), get('labels')
                anno, img = get('annotation_file').decode(), get('image_name').decode()
                width = width or x.shape[1]
                assert x.shape == (nodes, width) and width > 0, 'features of image %d: shape %s, want width %d' % (i, x.shape, width)
                assert np.isfinite(x).all(), 'features of image %d: not all are finite' % i
                assert nodes == 1 or x.std(0).max() > 0, 'features of image %d: all nodes have the same' % i
                assert e.shape == (edges, 2) and (edges == 0 or e.max() < nodes) and x.shape[0] == nodes and y.shape == (nodes,)
                same('types', (e.dtype, x.dtype, y.dtype), (np.dtype('<i8'), np.dtype('<f4'), np.dtype('<i8')))
                if split == 'test':
                    r, folder = by[split, os.path.splitext(img)[0]], 'test'
                    a = array(os.path.join(EXPORT, 'HDSeg', 'annotations', ds, 'test', anno))
                else:  # as the published loader takes names apart
                    kind, p1, p2 = os.path.splitext(img)[0].split('_')
                    ak, a1, a2 = os.path.splitext(anno)[0].split('_')
                    assert (kind[3], p1, p2) == (ak[4], a1, a2) and kind[:3] == 'img' and ak[:4] == 'anno'
                    folder = 'voc12' if p1 in ('2007', '2008', '2009', '2010', '2011') else p1
                    sfx = {'a': 'gt', 'b': 'bb', 'c': 'no'}[kind[3]]
                    letters += kind[3]
                    r = by[split, p1 + '_' + p2]
                    a = array(os.path.join(EXPORT, 'HDSeg', 'annotations', ds, folder, '%s_%s.%s.png' % (p1, p2, sfx)))
                sp = array(os.path.join(EXPORT, 'data', name + '-superpixels' + tail, '%06d.png' % i)).astype(int)
                same('size', sp.shape, a.shape)
                same('superpixels', len(np.unique(sp)), nodes)
                same('edges of image %d' % i, {tuple(sorted(v)) for v in e.tolist()}, neighbors(sp))
                same('edges of image %d, each once' % i, edges, len({tuple(sorted(v)) for v in e.tolist()}))
                fg = np.bincount(sp.ravel(), (a == 1).ravel(), nodes)
                bg = np.bincount(sp.ravel(), (a == 0).ravel(), nodes)
                same(r['id'] + ' labels', y, (fg > bg).astype(np.int64))
                tree(r, folder)
                listed += 1
            same('blocks', letters, ''.join(sorted(letters)))
    same('listed', listed, len(WANT['records']))


def webdataset():
    import webdataset as wds
    urls = sorted(glob.glob(os.path.join(EXPORT, '*.tar')))
    by = {(r['split'], r['id']): r for r in WANT['records']}
    keys = set()
    for s in wds.WebDataset(urls, shardshuffle=False, empty_check=False):
        assert s['__key__'] not in keys, 'key %s twice' % s['__key__']
        keys.add(s['__key__'])
        j = json.loads(s['json'])
        r = by.pop((j['split'], j['id']))
        masks_say(j, r)
        image(r, next(v for k, v in s.items() if k in ('jpg', 'png', 'gif', 'bmp', 'webp')))
        if r['mask']:
            same(r['id'], np.asarray(Image.open(io.BytesIO(s['mask.png']))), array(os.path.join(ROOT, r['own'])))
            found(1, 0)
        b = sorted([b['xMin'], b['yMin'], b['xMax'], b['yMax']] for b in j.get('boxes') or [])
        same(r['id'] + ' boxes', b, boxes(r, stored=False))
        found(0, len(b))
    same('left', len(by), 0)


def croissant():
    os.environ['CROISSANT_CACHE'] = EXPORT + '.cache'  # it knows archives by their names
    import mlcroissant as mlc
    d = mlc.Dataset(jsonld=os.path.join(EXPORT, 'croissant.json'))
    assert not d.metadata.issues.errors, d.metadata.issues.report()
    text = lambda v: v.decode() if isinstance(v, bytes) else v
    rows = {}
    for row in d.records('records'):
        rows[text(row['records/split']), text(row['records/id'])] = row
    content = {}
    for which in ('images', 'masks'):
        for row in d.records(which + '_files'):
            content[which, text(row[which + '_files/file'])] = row[which + '_files/content']
    same('records', len(rows), len(WANT['records']))
    for r in WANT['records']:
        row = rows[r['split'], r['id']]
        with Image.open(os.path.join(ROOT, r['image'])) as im:
            got = content['images', text(row['records/image'])]
            same(r['id'] + ' picture', np.asarray(got.convert('RGB')), np.asarray(im.convert('RGB')))
        SEEN['pictures'] += 1
        if r['mask']:
            same(r['id'], np.asarray(content['masks', text(row['records/mask'])]), mask(r, stored=False))
            found(1, 0)
        b = row['records/boxes']
        b = text(b) if isinstance(b, (bytes, str)) else ''
        got = sorted([int(v) for v in s.split()] for s in b.split(';') if s)
        same(r['id'] + ' boxes', got, boxes(r, stored=False))
        found(0, len(got))


def imagefolder():
    import datasets
    datasets.disable_progress_bars()
    for split in sorted({r['split'] for r in WANT['records']}):
        d = datasets.load_dataset('imagefolder', data_dir=EXPORT, split=split, cache_dir=EXPORT + '.cache')
        records = {r['id']: r for r in WANT['records'] if r['split'] == split}
        same('rows', d.num_rows, len(records))
        for row in d:
            r = records[row['id']]
            got = row['image']
            same(r['id'] + ' size', got.size, (r['width'], r['height']))
            with Image.open(os.path.join(ROOT, r['image'])) as im:
                how = STORED[r['orientation']]
                if how is not None:  # the inverse turns it upright
                    inverse = {Image.Transpose.ROTATE_90: Image.Transpose.ROTATE_270, Image.Transpose.ROTATE_270: Image.Transpose.ROTATE_90}
                    im = im.transpose(inverse.get(how, how))
                same(r['id'] + ' picture', np.asarray(got.convert('RGB')), np.asarray(im.convert('RGB')))
            SEEN['pictures'] += 1
            m = row.get('mask', row.get('mask_file_name'))
            if r['mask']:
                if isinstance(m, str):
                    m = Image.open(os.path.join(EXPORT, split, m))
                same(r['id'], np.asarray(m), mask(r, stored=False))
                found(1, 0)
            else:
                assert m is None, m
            b = sorted([int(v) for v in s.split()] for s in row['boxes'].split(';') if s)
            same(r['id'] + ' boxes', b, boxes(r, stored=False))
            found(0, len(b))


if __name__ == '__main__':
    os.environ.setdefault('HF_HUB_OFFLINE', '1')
    EXPORT = sys.argv[2]
    WANT = read(sys.argv[3], sys.argv[1] in ('hdseg', 'coco', 'voc'))
    ROOT = WANT['store']
    {'hdseg': hdseg, 'coco': coco, 'voc': voc, 'webdataset': webdataset, 'croissant': croissant, 'imagefolder': imagefolder}[sys.argv[1]]()
    if sys.argv[1] != 'webdataset':  # whose records are in the archives
        print('records beside the export: %d qualities, %d lists of voters' % carried())
    print('equal: %(pictures)d pictures, %(masks)d masks, %(boxes)d boxes' % SEEN)
