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
var reasonShapes = regexp.MustCompile(`(?:l\.drop\([^"\n]*|skip\([^"\n]*|l\.lost\([^"\n]*|layerFault\{|fault\([^"\n]*|Reason: |[rR]eason\b[^"\n]*=[^"\n]*|limitReason\(err, |return |InTest = )"([a-z]+(?:_[a-z]+)*)"`)

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
	code := regexp.MustCompile(`aside\("([a-z_]+)"|(?:Code|Other): "([a-z_]+)"|Other\["([a-z_]+)"\]|code :?= "([a-z_]+)"`)
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

// README.md of this package has the lists as they are here.
func TestReasonsInREADME(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[bool]string{}
	for _, r := range Reasons() {
		lines[r.Kept] += fmt.Sprintf("- `%s`: %s; %s\n", r.Code, r.Meaning, r.Remedy)
	}
	for kept, want := range lines {
		if !strings.Contains(string(data), "\n\n"+want+"\n") {
			t.Errorf("README.md does not have this list (kept %v):\n%s", kept, want)
		}
	}
}

// A Reason is a code of Manifest.Skipped that Run or Split gives, for the lists in README.md.
type Reason struct {
	Kept    bool // the picture stays; else it is dropped and counts for --max-skip
	Code    string
	Meaning string
	Remedy  string
}

// Reasons lists every reason code, by what they are about: pictures, masks, boxes, names, archives.
func Reasons() []Reason {
	return []Reason{
		{false, "missing_image", "a list or mask names a picture that is not there", "add it"},
		{false, "unreadable_image", "the system cannot read the file", "see the detail"},
		{false, "not_a_picture", "a web page, text or empty file", "fetch it again"},
		{false, "unsupported_picture", "TIFF, HEIC, animated WebP", "convert it to PNG"},
		{false, "corrupt_image", "cut short or damaged", "fetch it again"},
		{false, "too_large", "a picture or mask over `ingest.limits`", "raise them"},
		{false, "in_test", "also in the test split", "`split --strict` makes it an error"},

		{false, "missing_mask", "a promised mask is not there", "add it"},
		{false, "missing_object_mask", "no SegmentationObject for `--object`", "add it"},
		{false, "unreadable_mask", "the system cannot read the file", "see the detail"},
		{false, "corrupt_mask", "damaged, or no pixel type of masks", "save it as grey PNG"},
		{false, "lossy_mask", "JPEG and lossy WebP change values", "save it anew as PNG"},
		{true, "unsupported_mask", "another format, such as TIFF (dropped in `--test`)", "save it as PNG"},
		{false, "bad_mask_values", "values that mean nothing", "`--set ingest.maskValues=...`"},
		{false, "mask_size", "not its picture's size", "`--set ingest.resizeMasks=nearest` scales it"},
		{false, "empty_annotation", "COCO: neither a box nor pixels", "repair it"},
		{false, "bad_annotation", "COCO: cannot be read, or has no pixels", "see the detail"},
		{true, "mask_without_image", "a mask of no picture, or of several", "add the picture"},
		{true, "mask_not_listed", "VOC masks in no image set", "add their names to it"},
		{true, "feature_without_mask", "HDSeg's features name a missing mask", "get the whole tree"},
		{true, "bad_feature_file", "cannot be read", "fetch it again"},

		{true, "bad_box_file", "a file, row or object cannot be read", "repair it"},
		{true, "duplicate_box_file", "two for one picture", "remove one"},
		{true, "duplicate_box_table", "two `boxes.csv` for one folder", "join them"},
		{true, "box_swapped", "minimum over maximum", "repair it (ImageNet's are turned)"},
		{true, "box_empty", "a side of length 0", "repair it"},
		{true, "box_outside", "no part is in the picture", "repair it"},
		{true, "box_size", "the file lacks `<size>`", "add it"},
		{true, "box_fraction", "within 0..1: fractions, no pixels", "multiply by width and height"},
		{true, "box_misfit", "made for a picture of another shape", "give that picture"},
		{true, "box_without_image", "rows without their picture", "add it"},
		{true, "no_boxes", "`--boxes` has no wnid_number.xml", "name the right folder"},

		{false, "bad_name", "neither kind nor id can be told", "rename it as the detail says"},
		{false, "duplicate_id", "two pictures or masks of a split", "rename one"},

		{false, "unsafe_member", "a link, a device, a path that leads out", "pack it anew without"},
		{false, "duplicate_member", "a name twice in an archive", "pack it anew"},
		{false, "unreadable", "a link to nowhere, a file that went", "run again"},
		{false, "unsupported_archive", "xz, 7z, zstd, rar, encrypted zip", "unpack it"},
		{false, "truncated_archive", "cut short", "fetch it again, or `--set ingest.allowTruncated=true`"},
		{false, "data_after_end", "more follows the archive's end", "give joined archives one by one"},
	}
}
