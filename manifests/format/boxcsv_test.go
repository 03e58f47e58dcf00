package format

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"hdseg/manifests"
)

func TestParseBoxCSV(t *testing.T) {
	table, err := ParseBoxCSV([]byte("\xef\xbb\xbfxmin,label, image,ymin,ymax,xmax,score\n1,horse,a.jpg,2,4,3,0.5\n1.5,,b/c.jpg,0,9,8,\n5,dog,a.jpg,6,8,7,\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := table.Files
	if !slices.Equal(table.Unread, []string{"score"}) || !slices.Equal(got["a.jpg"].Lines, []int{2, 4}) {
		t.Errorf("got %+v", table)
	}
	if len(got) != 2 || !slices.Equal(got["a.jpg"].Objects, []BoxObject{{"horse", 1, 2, 3, 4, nil}, {"dog", 5, 6, 7, 8, nil}}) || !slices.Equal(got["b/c.jpg"].Objects, []BoxObject{{"", 1.5, 0, 8, 9, nil}}) {
		t.Errorf("got %+v", got)
	}
	// [1,3) x [2,4): maxima are exclusive.
	if b, _, err := got["a.jpg"].Pixels(0, BoxCSVRule, 10, 10); err != nil || b != (manifests.Box{XMin: 1, YMin: 2, XMax: 3, YMax: 4}) {
		t.Errorf("got %v, %v", b, err)
	}
	for name, c := range map[string]struct{ csv, want string }{
		"empty":     {"", "no header"},
		"no column": {"image,xmin,ymin,xmax\n", "want a column ymax"},
		"two":       {"image,xmin,ymin,xmax,ymax,Class,label\n", "got both Class and label"},
		"twice":     {"image,xmin,ymin,xmax,xmin,ymax\n", "got both xmin and xmin"},
		"utf-16":    {"i\x00m\x00a\x00g\x00e\x00,\x00", "got zero bytes, want text in UTF-8, or in UTF-16 with its mark"},
		"names":     {"picture;xmin;ymin;xmax;ymax\n", `got "picture,xmin,ymin,xmax,ymax", want a column image (of`},
	} {
		if _, err := ParseBoxCSV([]byte(c.csv)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// A row that cannot be read costs itself alone, and is named.
func TestParseBoxCSVBadRows(t *testing.T) {
	table, err := ParseBoxCSV([]byte("image,xmin,ymin,xmax,ymax,label\na,1,x,3,4,horse\na,5,6,7,8,\n,1,2,3,4,\na,1,2\na,\"1,5\",2,3,4,\na,1,2,3,4,,,\na,1,5,2,0,3,4,\na,1,\"2\"x,3,4\nb\"c,1,2,3,4,\na,9,9,11,12,\na,1,2,inf,4,\na,1,2,3,4\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := table.Files["a"]
	var got []string
	for i := range f.Objects {
		box, _, err := f.Pixels(i, BoxCSVRule, 20, 20)
		if err != nil {
			got = append(got, err.Error())
		} else {
			got = append(got, fmt.Sprint(box))
		}
	}
	for _, err := range table.Lost {
		got = append(got, err.Error())
	}
	want := []string{`bad_box_file: line 2 (horse): ymin: got "x", want a number`, "{5 6 7 8}", "bad_box_file: line 5: got 3 cells, want the header's 6",
		`bad_box_file: line 6: xmin: got "1,5", want a number`, "{1 2 3 4}", "bad_box_file: line 8: got 8 cells, want the header's 6", "{9 9 11 12}",
		`bad_box_file: line 12: xmax: got "inf", want a number`, "{1 2 3 4}",
		"line 4: image: got nothing, want the name of a picture", `line 9: extraneous or missing " in quoted-field`, `line 10: bare " in non-quoted-field`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := ParseBoxCSV([]byte("image,xmin,ymin,xmax,ymax\na,\"1,2,3,4\nb,1,2,3,4\n")); err == nil || !strings.Contains(err.Error(), "record on line 2") {
		t.Errorf("a quote that is not closed: got %v", err)
	}
}

// Tables as spreadsheets write them: header in any case, other separators, decimal commas, UTF-16;
// the column of the label under its other names.
func TestParseBoxCSVSpreadsheets(t *testing.T) {
	const plain = "image,xmin,ymin,xmax,ymax,label\nb.jpg,1.5,2,3,4,dog\n"
	utf16 := func(order unicode.Endianness, s string) []byte {
		out, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	semicolons := "\xef\xbb\xbfimage;xmin;ymin;xmax;ymax;label\r\nb.jpg;1,5;2;3;4;dog\r\n"
	for name, data := range map[string][]byte{
		"plain": []byte(plain), "case": []byte("Image, XMin ,YMIN,xMax,ymax , Class\n b.jpg , 1.5 ,2,3,4, dog\n"),
		"semicolon": []byte(semicolons), "points": []byte(strings.Replace(semicolons, "1,5", "1.5", 1)), "tab": []byte(strings.ReplaceAll(plain, ",", "\t")),
		"utf-16": utf16(unicode.LittleEndian, plain), "utf-16 big": utf16(unicode.BigEndian, plain), "utf-16 tab": utf16(unicode.LittleEndian, strings.ReplaceAll(plain, ",", "\t")),
		"empty fields": []byte("label\timage\txmin\tymin\txmax\tymax\ndog\tb.jpg\t1.5\t2\t3\t4\n\tb.jpg\t1\t2\t3\t4\n"),
		"category":     []byte(strings.Replace(plain, "label", "category", 1)), "name": []byte(strings.Replace(plain, "label", "NAME", 1)),
		"sep tab": []byte("sep=\t\r\n" + strings.ReplaceAll(plain, ",", "\t")), "sep in quotes": []byte("\"sep=;\"\r\n" + semicolons[3:]), "sep and commas": []byte("SEP=,,,,,\n" + plain),
		"blank rows": []byte("\xef\xbb\xbf\r\n,,,,\r\n;;\n" + plain), "blank rows and sep": []byte("\n\t\t\nsep=;\n;;\n" + semicolons[3:]), "old Mac": []byte(strings.ReplaceAll(plain, "\n", "\r")),
		"quotes": []byte("\"image\",\"xmin\",ymin,xmax,ymax,label\n\"b.jpg\",\"1.5\",2,3,4,\"dog\"\n"),
	} {
		got, err := ParseBoxCSV(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []BoxObject{{"dog", 1.5, 2, 3, 4, nil}}
		if name == "empty fields" {
			want = append(want, BoxObject{"", 1, 2, 3, 4, nil})
		}
		if f := got.Files["b.jpg"]; len(got.Files) != 1 || f == nil || !slices.Equal(f.Objects, want) || len(got.Unread) != 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func FuzzParseBoxCSV(f *testing.F) {
	f.Add([]byte("image,xmin,ymin,xmax,ymax\na,1,2,3,4\n"))
	f.Add([]byte("\xff\xfei\x00m\x00"))
	f.Add([]byte("Image;xmin;ymin;xmax;ymax;class;x\na;1,5;2;3;4;b;c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseBoxCSV(data)
		if (m == nil) != (err != nil) {
			t.Fatalf("got %v and %v", m, err)
		}
		if err != nil {
			return
		}
		rows := 0
		for name, file := range m.Files {
			if name == "" || len(file.Objects) == 0 {
				t.Fatalf("got %d boxes for the picture %q", len(file.Objects), name)
			}
			rows += len(file.Objects)
			if len(file.Lines) != len(file.Objects) {
				t.Fatalf("got %d lines of %d boxes", len(file.Lines), len(file.Objects))
			}
			for _, o := range file.Objects {
				for _, v := range []float64{o.XMin, o.YMin, o.XMax, o.YMax} {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%s: got the box %v", name, o)
					}
				}
			}
		}
		if lines := 1 + bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")); rows > lines {
			t.Fatalf("got %d boxes from %d lines", rows, lines)
		}
	})
}
