// Package hdf5 writes HDF5 files that hold nothing but a flat list of datasets: what HDSeg's published feature files are. The
// files have the oldest layout (superblock 0, symbol tables, version 1 object headers), which every release of the
// library and MATLAB read, whatever the number of datasets.
//
// Reference: HDF5 File Format Specification Version 3.0, The HDF Group; section numbers in the comments are its own.
package hdf5
