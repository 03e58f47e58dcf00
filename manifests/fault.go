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
	// a bare id, or a bare string that may be read as another type
	FaultQuotes = canon.FaultQuotes
	FaultSchema = "schema" // another version of the layout
	FaultPart   = "part"   // a part file is missing
	// a part file's bytes are not those that the index names
	FaultPartDigest = "part_digest"
	// a part holds another number of records than the index says
	FaultPartCount = "part_count"
	FaultCounts    = "counts" // the index's counts are not those of the records
	FaultOrder     = "order"  // records, masks or skips not sorted
	// other bytes than hdseg writes for what the file says; only Check asks
	FaultCanonical = "canonical"

	// In a record by itself, or in two of one id.
	FaultValue = "value" // a value outside its range
	// a path that leaves the store or its folder there, or is not clean
	FaultPath      = "path"
	FaultBox       = "box"          // an empty box, or one outside its image
	FaultDuplicate = "duplicate_id" // the same id twice in a split

	// Between records, and between records and files.
	FaultLeak           = "leak"            // the same id, bytes or pixels in train and test
	FaultLeakProvenance = "leak_provenance" // a mask derived from a test record
	FaultProvenance     = "provenance"      // missing, or it names a record that is not there
	FaultTestTier       = "test_tier"       // a test record with another mask than manual ones
	FaultTier           = "tier"            // a record without what its tier needs
	// no stage in the store is the parent, or it is of another data set, class or seed
	FaultParent = "parent"
	// one picture under two ids of a split, which ingest would have noted
	FaultTwice      = "twice"
	FaultFile       = "file"        // an image or mask file is missing
	FaultFileDigest = "file_digest" // an image's or mask's bytes are not those recorded
	FaultDecode     = "decode"      // an image or mask that does not decode
	FaultSize       = "size"        // an image or mask of another size than recorded
	FaultFormat     = "format"      // an image file of another format than recorded
	FaultPixels     = "pixels"      // an image that decodes to other pixels than recorded
	FaultMaskValues = "mask_values" // a mask with other values than 0, 1 and 255
	FaultMaskCounts = "mask_counts" // other numbers of figure or void pixels than recorded
	// SHA256SUMS is missing, has other digests, not all files, or some that are not there
	FaultSums    = "sums"
	FaultSurplus = "surplus" // a file that nothing names
)
