package manifests

import _ "embed"

// JSONSchema is the layout of manifests as a JSON Schema (draft 2020-12), for editors and for programs in other
// languages. It accepts whatever Write writes; what it cannot say (order, digests, boxes inside their image) Read
// and Check verify.
//
//go:embed schema.json
var JSONSchema []byte
