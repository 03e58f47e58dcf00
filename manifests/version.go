package manifests

// Version is the version of hdseg that manifests, masks and models record. It changes when
// the same input may give other bytes.
const Version = "0.1.0"
