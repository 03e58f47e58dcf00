// Package hdf5 reads and writes the oldest layout of HDF5 files: superblock 0, symbol tables,
// version 1 object headers. It is what h5py and MATLAB 7.3 write by default, what every release of
// the library reads, and what HDSeg's published feature files have. Newer layouts and other
// features are refused by name.
//
// Reference: HDF5 File Format Specification Version 3.0, The HDF Group; section numbers in the
// comments are its own.
package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrFormat is wrapped by every error about a file's content.
var ErrFormat = errors.New("hdf5")

// ErrNotFound is wrapped when a group has no member of a name.
var ErrNotFound = errors.New("not found")

func faultf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

// unread is the end of an error about a sound file that this package does not read.
const unread = "is not read: copy the file with h5py's default settings"

var le = binary.LittleEndian

const (
	signature      = "\x89HDF\r\n\x1a\n"
	superblockSize = 96
	undefined      = math.MaxUint64 // the address of what is not there
)

// Header messages (IV.A.2).
const (
	dataspaceMessage    = 0x01
	datatypeMessage     = 0x03
	fillValueMessage    = 0x05
	layoutMessage       = 0x08
	filterMessage       = 0x0b
	continuationMessage = 0x10
	symbolTableMessage  = 0x11
)

// A message is one header message.
type message struct {
	kind uint16
	data []byte
}

// Classes of datatypes (IV.A.2.d).
const (
	integerClass   = 0
	floatClass     = 1
	stringClass    = 3
	referenceClass = 7
	enumClass      = 8
	variableClass  = 9
)

// Where the elements of a dataset are (IV.A.2.i).
const (
	compactLayout    = 0
	contiguousLayout = 1
	chunkedLayout    = 2
)
