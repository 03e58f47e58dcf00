package canon

// A Fault is one thing that is wrong with a file. As an error it reads "record: message".
type Fault struct {
	Record  string `json:"record"`  // the id, or the file where no record is concerned
	Kind    string `json:"kind"`    // a short code
	Message string `json:"message"` // one line, with file and line number
}

func (f Fault) Error() string {
	if f.Record == "" {
		return f.Message
	}
	return f.Record + ": " + f.Message
}

// The kinds of fault in the form of a file.
const (
	FaultSyntax      = "syntax"       // not YAML, or a value of another type
	FaultUnknownKey  = "unknown_key"  //
	FaultRepeatedKey = "repeated_key" //
	FaultMissingKey  = "missing_key"  //
	FaultQuotes      = "quotes"       // a bare id, or a string of doubtful type
)
