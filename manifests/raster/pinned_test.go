package raster

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"testing"
)

// Two drawn JPEGs of 19 x 10 pixels with what Pillow 13.0 (libjpeg-turbo) decodes them to: the pixels (0,0), (10,4), (18,9) and (13,5) and
// the digest of all.
var pinned = []struct {
	name, data string
	pixels     [4][3]uint8
	sha256     string
}{
	{"420", "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAoHBwgHBgoICAgLCgoLDhgQDg0NDh0VFhEYIx8lJCIfIiEmKzcvJik0KSEiMEExNDk7Pj4+JS5ESUM8SDc9Pjv/2wBDAQoLCw4NDhwQEBw7KCIoOzs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozv/wAARCAAKABMDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDCt/DHT93+lXLPw7dNMqvZhUPVsjj9a7W3RePlH5VqW6Lx8o/KuvNc0rt3u9DlyTNqsIuLinfq76ehxy+GPlH7v9KK0tbRf7Wm+Ufw9v8AZFFeFHFV5JS5tzor8bVaNWVL2V+VtfF207H/2Q==",
		[4][3]uint8{{3, 0, 240}, {239, 12, 81}, {55, 199, 65}, {192, 51, 60}}, "30305cbe562dd2b0123e5ddb64602a577810683e1d6bd71bfae8cb10b0c4b59b"},
	{"422 progressive", "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wgARCAAKABMDASEAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABQAE/8QAGAEAAgMAAAAAAAAAAAAAAAAABAUBBgf/2gAMAwEAAhADEAAAAR9LUlSRWJlCM7Gg1H//xAAbEAACAgMBAAAAAAAAAAAAAAAAAgEEAxIUJP/aAAgBAQABBQJKRipvtxCQJBbj0f/EAB8RAAEDAwUAAAAAAAAAAAAAAAEAAgQDBREjMUFxsf/aAAgBAwEBPwGzyaRYTUdg8IS1bTspZ139n1f/xAAcEQACAgIDAAAAAAAAAAAAAAAAAQIEBRESIjH/2gAIAQIBAT8ByN+e1x8HeL7IPqj/xAAaEAACAgMAAAAAAAAAAAAAAAAAAgExEBEh/9oACAEBAAY/AqI2nCssf//EABsQAQEAAgMBAAAAAAAAAAAAAAEAEVEhMUGx/9oACAEBAAE/IbIDDvmOMLRFoi6Tz4X/2gAMAwEAAgADAAAAEH5D/8QAGxEBAAICAwAAAAAAAAAAAAAAAQAhMUERYfH/2gAIAQMBAT8QTQIcDbeaetmZQXG2jZ/ZP//EABwRAAICAgMAAAAAAAAAAAAAAAEhADERUUFxof/aAAgBAgEBPxAcWG3lPvcaXCNw13An/8QAGxAAAQUBAQAAAAAAAAAAAAAAAAERIbHBMXH/2gAIAQEAAT8Q55EKazu0rR6R8kWog1FHpf/Z",
		[4][3]uint8{{8, 2, 216}, {240, 3, 47}, {44, 201, 68}, {214, 44, 44}}, "1546ea0ca8dbfd539fc00e49fde5e29d0c8e064db31d7c36cf086bb96956ccbe"},
}

// Decoded pixels do not depend on the version of Go, whose own decoder changed them; they are those of libjpeg-turbo.
func TestPinnedPixels(t *testing.T) {
	for _, c := range pinned {
		data, err := base64.StdEncoding.DecodeString(c.data)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := Decode(data, DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for i, p := range [4][2]int{{0, 0}, {10, 4}, {18, 9}, {13, 5}} {
			if r, g, b := m.At(p[0], p[1]); [3]uint8{r, g, b} != c.pixels[i] {
				t.Errorf("%s: pixel %v: got %d %d %d, want %v", c.name, p, r, g, b, c.pixels[i])
			}
		}
		if d := sha256.Sum256(m.Pix); hex.EncodeToString(d[:]) != c.sha256 {
			t.Errorf("%s: other pixels than libjpeg-turbo's", c.name)
		}
	}
}
