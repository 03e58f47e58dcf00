package raster

import (
	"bytes"
	"fmt"
	"strings"
)

// Sniff tells a file's format from its first bytes: jpeg, png, gif, bmp, webp, or "" for
// anything else. Names and extensions are not consulted.
func Sniff(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "jpeg"
	case bytes.HasPrefix(data, []byte(pngSignature)):
		return "png"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "gif"
	case bytes.HasPrefix(data, []byte("BM")):
		return "bmp"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp"
	}
	return ""
}

// Extensions lists the lower-case file name extensions, without the dot, that agree with a
// format that Sniff returned; the first is the one that this program writes.
func Extensions(format string) []string {
	switch format {
	case "jpeg":
		return []string{"jpg", "jpeg", "jpe", "jfif"}
	case "":
		return nil
	}
	return []string{format}
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// Foreign says in a message what a file is that Sniff does not know: the name of a format that
// people may take for a picture, else its first bytes.
func Foreign(data []byte) string {
	if len(data) == 0 {
		return "an empty file"
	}
	if p := ForeignPicture(data); p != "" {
		return "a file in the format " + p
	}
	if text := leadingText(data); strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") {
		return "an HTML page"
	}
	return fmt.Sprintf("first bytes %q", data[:min(8, len(data))])
}

// leadingText is the beginning of a text file in lower case, without the mark and the space before
// it.
func leadingText(data []byte) string {
	data = bytes.TrimPrefix(data[:min(512, len(data))], []byte("\xef\xbb\xbf"))
	return strings.ToLower(string(bytes.TrimSpace(data)))
}

// ForeignPicture tells by its first bytes whether a file is a picture in a format that Decode does
// not read: TIFF, HEIC, AVIF, JPEG 2000, JPEG XL, JPEG XR, Photoshop, OpenEXR, QOI, PNM, SVG, or a
// PDF document, which may be one. The name is "" if it is not.
func ForeignPicture(data []byte) string {
	has := func(at int, s string) bool { return len(data) >= at+len(s) && string(data[at:at+len(s)]) == s }
	switch {
	case has(0, "II*\x00"), has(0, "MM\x00*"), has(0, "II+\x00"), has(0, "MM\x00+"):
		return "TIFF"
	case has(4, "ftyp"):
		return heifBrand(data)
	case has(0, "\x00\x00\x00\x0cjP  "), has(0, "\xff\x4f\xff\x51"):
		return "JPEG 2000"
	case has(0, "\x00\x00\x00\x0cJXL "), has(0, "\xff\x0a"):
		return "JPEG XL"
	case has(0, "II\xbc\x01"):
		return "JPEG XR"
	case has(0, "8BPS"):
		return "Photoshop"
	case has(0, "\x76\x2f\x31\x01"):
		return "OpenEXR"
	case has(0, "qoif"):
		return "QOI"
	case len(data) >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7' && strings.ContainsRune(" \t\r\n", rune(data[2])):
		return "PNM"
	}
	text := leadingText(data)
	switch {
	case strings.HasPrefix(text, "%pdf-"):
		return "PDF"
	case strings.HasPrefix(text, "<svg"), strings.HasPrefix(text, "<!doctype svg"),
		(strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<!--")) && strings.Contains(text, "<svg"):
		return "SVG"
	}
	return ""
}

// heifBrand names a file of ISO's boxes by its brands, the main one first and then those it is
// compatible with (ISO/IEC 14496-12, 4.3; 23008-12, 10): HEIC, AVIF, or "" for films and others.
func heifBrand(data []byte) string {
	end := min(len(data), 512, int(data[0])<<24|int(data[1])<<16|int(data[2])<<8|int(data[3]))
	for at := 8; at+4 <= end; at += 4 {
		switch brand := string(data[at : at+4]); {
		case brand == "avif" || brand == "avis":
			return "AVIF"
		case strings.HasPrefix(brand, "hei"), strings.HasPrefix(brand, "hev"), brand == "mif1", brand == "mif2", brand == "msf1":
			return "HEIC"
		}
	}
	return ""
}
