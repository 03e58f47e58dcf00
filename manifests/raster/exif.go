package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// orientation sets info.Orientation from the TIFF block of an Exif segment (Exif 2.3, tag 0x0112).
// A block that cannot be read is noted and leaves 1: broken metadata never costs a picture.
func orientation(tiff []byte, info *Info) {
	o, err := exifOrientation(tiff)
	if info.Orientation = o; err != nil {
		info.Notes = append(info.Notes, "exif_broken")
	}
}

// exifOrientation returns the orientation in the first directory of a TIFF block, 1 if it has none,
// and for no block.
func exifOrientation(tiff []byte) (int, error) {
	if tiff == nil {
		return 1, nil
	}
	if len(tiff) < 8 {
		return 1, errors.New("exif: header cut short")
	}
	var order binary.ByteOrder
	switch string(tiff[:2]) {
	case "II":
		order = binary.LittleEndian
	case "MM":
		order = binary.BigEndian
	default:
		return 1, fmt.Errorf("exif: byte order: got %q, want II or MM", tiff[:2])
	}
	if magic := order.Uint16(tiff[2:]); magic != 42 {
		return 1, fmt.Errorf("exif: magic: got %d, want 42", magic)
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1, fmt.Errorf("exif: directory at %d of %d bytes", at, len(tiff))
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1, errors.New("exif: directory cut short")
		}
		e := entries[:12]
		entries = entries[12:]
		if order.Uint16(e) != 0x0112 {
			continue
		}
		var v uint32
		switch typ, count := order.Uint16(e[2:]), order.Uint32(e[4:]); {
		case count != 1:
			return 1, fmt.Errorf("exif: orientation: got %d values, want 1", count)
		case typ == 1:
			v = uint32(e[8])
		case typ == 3:
			v = uint32(order.Uint16(e[8:]))
		case typ == 4:
			v = order.Uint32(e[8:])
		default:
			return 1, fmt.Errorf("exif: orientation: got type %d, want a short", typ)
		}
		if v < 1 || v > 8 {
			return 1, fmt.Errorf("exif: orientation: got %d, want 1..8", v)
		}
		return int(v), nil
	}
	return 1, nil
}

// MaskOrientation returns the orientation that a PNG or WebP file states, 1 if it has none or a
// broken one, and for other formats.
func MaskOrientation(data []byte) int {
	o, _ := exifOrientation(exif(data))
	return o
}

// exif returns the TIFF block of a PNG or WebP file, or nil.
func exif(data []byte) []byte {
	switch Sniff(data) {
	case "png":
		return pngEXIF(data)
	case "webp":
		return webpEXIF(data)
	}
	return nil
}

// pngEXIF returns the payload of a PNG file's eXIf chunk (PNG specification, third edition,
// 11.3.3.6), or nil.
func pngEXIF(data []byte) []byte {
	for at := int64(8); at+12 <= int64(len(data)); {
		n := int64(binary.BigEndian.Uint32(data[at:]))
		if at+12+n > int64(len(data)) {
			return nil
		}
		if string(data[at+4:at+8]) == "eXIf" {
			return data[at+8 : at+8+n]
		}
		at += 12 + n
	}
	return nil
}

// webpEXIF returns the payload of a WebP file's EXIF chunk (RFC 9649, 2.7.1.5), or nil. Some
// writers put JPEG's "Exif" prefix before the block.
func webpEXIF(data []byte) []byte {
	for at := int64(12); at+8 <= int64(len(data)); {
		n := int64(binary.LittleEndian.Uint32(data[at+4:]))
		if at+8+n > int64(len(data)) {
			return nil
		}
		if string(data[at:at+4]) == "EXIF" {
			b := data[at+8 : at+8+n]
			if len(b) > 6 && string(b[:6]) == "Exif\x00\x00" {
				b = b[6:]
			}
			return b
		}
		at += 8 + n + n&1
	}
	return nil
}
