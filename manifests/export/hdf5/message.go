package hdf5

import "encoding/binary"

var le = binary.LittleEndian

// Datatypes (IV.A.2.d).
var (
	int64Type = []byte{
		0x10, 0x08, 0, 0, 8, 0, 0, 0, // class 0 version 1, signed, little-endian, 8 bytes
		0, 0, 64, 0, // bits 0..63
	}
	float32Type = []byte{
		0x11, 0x20, 31, 0, 4, 0, 0, 0, // class 1, an implied leading 1, sign in bit 31, 4 bytes
		0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0, // exponent from bit 23, 8 bits, bias 127; mantissa from bit 0, 23 bits
	}
	stringType = []byte{
		0x19, 0x01, 0x01, 0, 16, 0, 0, 0, // class 9, a string, zero-terminated, UTF-8; 16 bytes: length and heap id
		0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, // of unsigned bytes
	}
)

// Header messages (IV.A.2).
const (
	dataspaceMessage   = 0x01
	datatypeMessage    = 0x03
	fillValueMessage   = 0x05
	layoutMessage      = 0x08
	symbolTableMessage = 0x11
)

type message struct {
	kind uint16
	data []byte
}

// objectHeader returns a version 1 object header (IV.A.1.a): a prefix of 16 bytes and the messages, each padded to 8.
func objectHeader(messages ...message) []byte {
	var body []byte
	for _, m := range messages {
		size := (len(m.data) + 7) / 8 * 8
		body = le.AppendUint16(body, m.kind)
		body = le.AppendUint16(body, uint16(size))
		body = append(body, 0, 0, 0, 0)
		body = append(body, m.data...)
		body = append(body, make([]byte, size-len(m.data))...)
	}
	b := []byte{1, 0}
	b = le.AppendUint16(b, uint16(len(messages)))
	b = le.AppendUint32(b, 1) // references
	b = le.AppendUint32(b, uint32(len(body)))
	b = append(b, 0, 0, 0, 0)
	return append(b, body...)
}

// datasetHeader describes values that lie in one piece at an address.
func datasetHeader(datatype []byte, shape []int, data, size uint64) []byte {
	space := []byte{1, uint8(len(shape)), 0, 0, 0, 0, 0, 0}
	for _, d := range shape {
		space = le.AppendUint64(space, uint64(d))
	}
	layout := []byte{3, 1} // version 3, contiguous
	layout = le.AppendUint64(layout, data)
	layout = le.AppendUint64(layout, size)
	return objectHeader(
		message{dataspaceMessage, space},
		message{datatypeMessage, datatype},
		message{fillValueMessage, []byte{2, 2, 2, 1, 0, 0, 0, 0}}, // version 2: allocated late, written if set, the default value
		message{layoutMessage, layout},
	)
}
