package format

import "fmt"

// OtherJSON says what a JSON file is that is not of the tool whose files were wanted (labelme,
// coco), and how it is read; "" for what is that tool's, or of none that is known.
func OtherJSON(data []byte, want string) string {
	v, err := ReadJSON(data)
	if err != nil {
		return ""
	}
	members := map[string]Value{}
	var first Value
	v.each(func(name string, value Value) {
		if len(members) == 0 {
			first = value
		}
		members[name] = value
	})
	has := func(of map[string]Value, names ...string) bool {
		for _, n := range names {
			if _, ok := of[n]; !ok {
				return false
			}
		}
		return true
	}
	inner := map[string]Value{}
	first.each(func(name string, value Value) { inner[name] = value })
	const asCOCO = "a file of %s: export it there as COCO, which annotate import --format coco and ingest --coco read"
	switch {
	case has(members, "shapes") && want != "labelme":
		return "a file of labelme: annotate import --format labelme reads it"
	case (has(members, "images", "annotations") || has(members, "images", "categories")) && want != "coco":
		return "a file of COCO: annotate import --format coco reads it, or ingest --coco FILE.json=FOLDER"
	case has(members, "_via_img_metadata"), has(inner, "filename", "regions"):
		return fmt.Sprintf(asCOCO, "VIA, the VGG Image Annotator")
	case has(inner, "data", "annotations"), has(inner, "annotations", "predictions"), has(inner, "annotation_id", "annotator"):
		return fmt.Sprintf(asCOCO, "Label Studio")
	}
	return ""
}
