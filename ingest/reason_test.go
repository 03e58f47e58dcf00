package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reasonCodes are those of Reasons.
var reasonCodes = func() (codes []string) {
	for _, r := range Reasons() {
		codes = append(codes, r.Code)
	}
	return codes
}()

// reasonShapes are the ways in which the sources give a reason.
var reasonShapes = regexp.MustCompile(`(?:l\.add\([^"\n]*|l\.lost\([^"\n]*|layerFault\{|fault\{[^"\n{]*|fault\(|Reason: |[rR]eason\b[^"\n]*=[^"\n]*|limitReason\(err, |refuse\(|return |InTest = )"([a-z]+(?:_[a-z]+)*)"`)

// Every reason that the sources give is in the table, and no other.
func TestReasonsAreComplete(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, file := range append(files, filepath.Join("..", "manifests", "format", "boxpixels.go")) {
		if strings.HasSuffix(file, "_test.go") || file == "reason.go" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reasonShapes.FindAllStringSubmatch(string(data), -1) {
			given[m[1]] = true
		}
	}
	for code := range given {
		if strings.Contains(code, "_") && !slices.Contains(reasonCodes, code) {
			t.Errorf("%s is given and not in Reasons", code)
		}
	}
	for i, code := range reasonCodes {
		if !given[code] {
			t.Errorf("%s is in Reasons and not given", code)
		}
		if slices.Contains(reasonCodes[:i], code) {
			t.Errorf("%s is in Reasons twice", code)
		}
	}
}

// README.md says what each code is under which something is left aside.
func TestAsideInREADME(t *testing.T) {
	page, err := os.ReadFile("README.md")
	files, globErr := filepath.Glob("*.go")
	if err := errors.Join(err, globErr); err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?:aside|passOver)\("([a-z_]+)"|(?:Code|other): "([a-z_]+)"|other\["([a-z_]+)"\]|code :?= "([a-z_]+)"`)
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			found[strings.Join(m[1:], "")] = true
		}
	}
	for c := range found {
		if !strings.Contains(string(page), "`"+c+"`") {
			t.Errorf("%s is not on the page", c)
		}
	}
	if len(found) < 25 {
		t.Errorf("got %d codes, want 25 or more: %v", len(found), found)
	}
}

// README.md of this package has the table as it is here.
func TestReasonsInREADME(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| reason | what it is | what to do |\n|---|---|---|\n"
	for _, r := range Reasons() {
		want += fmt.Sprintf("| `%s` | %s | %s |\n", r.Code, r.Meaning, r.Remedy)
	}
	if !strings.Contains(string(data), want) {
		t.Errorf("README.md does not have this table:\n%s", want)
	}
}

// A Reason is a code of Manifest.Skipped that Run or Split gives, for the table in README.md.
type Reason struct {
	Code    string
	Meaning string // what was found, and what is lost by it
	Remedy  string
}

// Reasons lists every reason code, by what they are about: pictures, masks, boxes, names, archives. Where the meaning does not say that something is kept,
// the picture is dropped and counts for --max-skip.
func Reasons() []Reason {
	return []Reason{
		{"missing_image", "a list or a mask names a picture that is not there, or that may be two", "add it, or take it off the list"},
		{"unreadable_image", "the file of the picture could not be read", "see the system's message in the detail"},
		{"not_a_picture", "a picture's name, but the bytes of none: a web page, a text, an empty file", "fetch it again"},
		{"unsupported_picture", "a picture of a format or kind that is not read, such as TIFF, HEIC or an animated WebP, under any name", "convert it to PNG"},
		{"corrupt_image", "cut short or damaged; half a picture is never used", "fetch it again"},
		{"too_large", "over the limit of bytes or pixels, picture or mask", "`--set ingest.limits.maxBytes=N` or `maxPixels=N`, as the detail says"},
		{"in_test", "`split`: the training picture is also in the test split, by id, bytes or pixels", "none needed; `split --strict` makes it an error"},

		{"missing_mask", "the source promises a mask that is not there", "add it; archives of one devkit go into one folder"},
		{"missing_object_mask", "`--object largest` or `all` without SegmentationObject's mask", "add it, or `--object union`"},
		{"unreadable_mask", "the file of the mask could not be read", "see the system's message in the detail"},
		{"corrupt_mask", "damaged, or of a pixel type that masks do not have; an extra mask is left out, its picture kept", "save it as a grey or palette PNG"},
		{"lossy_mask", "a mask saved as JPEG or lossy WebP, which change its values; an extra mask is left out, its picture kept", "save it anew as a PNG, with the program that drew it"},
		{"unsupported_mask", "a file in `masks/` of another format than PNG, BMP, GIF or lossless WebP, such as TIFF; its picture is kept without mask, or in `--test` dropped as missing_mask", "save it as a PNG of the picture's name"},
		{"bad_mask_values", "values that the stated convention, or any, does not know", "`--set ingest.maskValues=...`, or rewrite the mask"},
		{"mask_size", "the mask has another size than its picture", "`--set ingest.resizeMasks=nearest`, if it is only scaled; else it is turned, cut short or another picture's"},
		{"empty_annotation", "COCO: no annotation of the picture has a box, nor a shape that covers a pixel", "repair the annotation"},
		{"bad_annotation", "COCO: an annotation that cannot be read, or that has no pixels: see Annotations; a picture's entry that cannot be read, or pictures of one id, and these are dropped", "repair the annotation; the detail names it, its line and its byte"},
		{"mask_without_image", "a mask without its picture, or that several may mean; no picture is dropped", "add the picture, or remove the mask"},
		{"mask_not_listed", "VOC: masks that no image set names, one skip for all (each in `ingest.aside.csv`); no picture is dropped", "add their names to the set"},
		{"feature_without_mask", "HDSeg's feature file names a mask that the tree does not have; no picture is dropped", "get the whole tree"},
		{"bad_feature_file", "HDSeg's feature file cannot be read; no picture is dropped", "fetch it again"},

		{"bad_box_file", "a box file that cannot be read, or one object, row or COCO box of it, named with its value; the picture is kept without", "repair the file"},
		{"duplicate_box_file", "two different box files for one picture; the first is kept", "remove one"},
		{"duplicate_box_table", "two `boxes.csv` for one folder `images/`; the first is kept", "join them"},
		{"box_swapped", "VOC, tables: minimum over maximum; the picture is kept without this box", "repair the box (ImageNet's are turned and counted)"},
		{"box_empty", "a box with a side of length 0; the picture is kept without this box", "repair or remove it"},
		{"box_outside", "no part of the box is in the picture, which is kept without it", "repair or remove it"},
		{"box_size", "the box file does not say of what size the picture was; the picture is kept without this box", "add `<size>`"},
		{"box_fraction", "a box or a COCO polygon within 0..1, or up to half outside (-0.5..1.5), which are fractions of the picture; the picture is kept without it (polygons: see Annotations)", "multiply it by the picture's width and height"},
		{"box_misfit", "the box file is about a picture of another shape (over 2 % in the ratio of its sides), VOC's of another size; the picture is kept without this box", "give the picture that was annotated, or repair `<size>`"},
		{"box_without_image", "rows of a box table without their picture; no picture is dropped", "add the picture, or remove the rows"},
		{"no_boxes", "`--boxes` has no file named wnid_number.xml; no picture is dropped", "name the right folder or archive"},

		{"bad_name", "a name that says neither what it is nor which id it has", "rename it as the detail says"},
		{"duplicate_id", "another picture or mask of the same split has this id; the first is kept", "rename one, or leave one out"},

		{"unsafe_member", "a link, a device, a sparse file, or a name that leads out of the archive or is a path of Windows; in a folder no regular file", "pack it anew without"},
		{"duplicate_member", "a name that is in the archive twice; the first is kept", "pack it anew"},
		{"unreadable", "a link that leads nowhere, or a file that went while it was listed", "repair the link, or run again"},
		{"unsupported_archive", "xz, 7z, zstd, rar and the like, or an encrypted zip; counts as one picture", "unpack it"},
		{"truncated_archive", "cut short, read as far as it goes with `--set ingest.allowTruncated=true`; counts as one picture", "fetch it again"},
		{"data_after_end", "more follows the archive's end, or stands before a zip; counts as one picture", "give joined archives one by one"},
	}
}
