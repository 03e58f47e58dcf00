package raster

import (
	"bytes"
	"fmt"
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

// magic shows the first bytes of a file in a message.
func magic(data []byte) string {
	if len(data) == 0 {
		return "an empty file"
	}
	return fmt.Sprintf("first bytes %q", data[:min(8, len(data))])
}
