package manifests

import (
	"fmt"

	"hdseg/manifests/canon"
)

// A Fault is one thing that is wrong with a manifest or with the files that it names.
type Fault = canon.Fault

// fault makes one of a formatted message; record may be "".
func fault(record, kind, format string, args ...any) Fault {
	return Fault{Record: record, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// The kinds of fault. Read and Validate find those of the first two groups, Check all.
const (
	// In the form of a file.
	FaultSyntax      = canon.FaultSyntax      // not YAML, or a value of another type
	FaultUnknownKey  = canon.FaultUnknownKey  //
	FaultRepeatedKey = canon.FaultRepeatedKey //
	FaultMissingKey  = canon.FaultMissingKey  //
	FaultQuotes      = canon.FaultQuotes      // a bare id, or a string of doubtful type
	FaultSchema      = "schema"               // another version of the layout
	FaultPart        = "part"                 // a part file is missing
	FaultPartDigest  = "part_digest"          // a part file has other bytes
	FaultPartCount   = "part_count"           // a part with another number of records
	FaultCounts      = "counts"               // the index's counts are not those of the records
	FaultOrder       = "order"                // records, masks or skips not sorted
	FaultCanonical   = "canonical"            // not what hdseg writes; only Check asks

	// In a record by itself, or in two of one id.
	FaultValue     = "value"        // a value outside its range
	FaultPath      = "path"         // not clean, or outside of its folder
	FaultBox       = "box"          // an empty box, or one outside its image
	FaultDuplicate = "duplicate_id" // the same id twice in a split

	// Between records, and between records and files.
	FaultLeak           = "leak"            // the same id, bytes or pixels in train and test
	FaultLeakProvenance = "leak_provenance" // a mask derived from a test record
	FaultProvenance     = "provenance"      // missing, or it names a record that is not there
	FaultTestTier       = "test_tier"       // a test record with another mask than manual ones
	FaultTier           = "tier"            // a record without what its tier needs
	FaultParent         = "parent"          // no such stage, or of another data set, class or seed
	FaultTwice          = "twice"           // one picture under two ids, not noted
	FaultFile           = "file"            // an image or mask file is missing
	FaultFileDigest     = "file_digest"     // an image's or mask's bytes are not those recorded
	FaultDecode         = "decode"          // an image or mask that does not decode
	FaultSize           = "size"            // an image or mask of another size than recorded
	FaultFormat         = "format"          // an image file of another format than recorded
	FaultPixels         = "pixels"          // an image that decodes to other pixels than recorded
	FaultMaskValues     = "mask_values"     // a mask with other values than 0, 1 and 255
	FaultMaskCounts     = "mask_counts"     // other numbers of figure or void pixels than recorded
	FaultSums           = "sums"            // SHA256SUMS is missing, has wrong lines, or too few
	FaultSurplus        = "surplus"         // a file that nothing names

	// In what a build made of a manifest.
	FaultOutput = "output" // features or a model with other bytes than were written
	FaultLog    = "log"    // the log of an annotation campaign is not what was written
)
