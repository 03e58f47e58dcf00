package manifests

// A field is one key of a mapping and where its value lives in a T.
type field[T any] struct {
	key      string
	optional bool // left out when zero
	of       func(*T) value
}

const (
	optional = true
	inline   = true // of a list: every item on one line
)

// The layout of the index NAME.yaml, in the order in which keys are written.
var indexFields = []field[index]{
	{"schema", false, func(x *index) value { return (*integer)(&x.Schema) }},
	{"name", false, func(x *index) value { return (*text)(&x.Name) }},
	{"dataset", false, func(x *index) value { return (*word)(&x.Dataset) }},
	{"class", optional, func(x *index) value { return &block[Class]{&x.Class, classFields} }},
	{"stage", false, func(x *index) value { return (*word)(&x.Stage) }},
	{"tool", optional, func(x *index) value { return (*word)(&x.Tool) }},
	{"version", optional, func(x *index) value { return (*text)(&x.Version) }},
	{"config", optional, func(x *index) value { return (*text)(&x.Config) }},
	{"parent", optional, func(x *index) value { return (*text)(&x.Parent) }},
	{"seed", false, func(x *index) value { return (*natural)(&x.Seed) }},
	{"records", false, func(x *index) value { return (*integer)(&x.Records) }},
	{"counts", optional, func(x *index) value { return &list[Count]{&x.Counts, countFields, inline} }},
	{"parts", optional, func(x *index) value { return &list[part]{&x.Parts, partFields, inline} }},
	{"skipped", optional, func(x *index) value { return &list[part]{&x.Skips, partFields, inline} }},
	{"settings", optional, func(x *index) value { return &list[part]{&x.Options, partFields, inline} }},
}

var classFields = []field[Class]{
	{"name", optional, func(x *Class) value { return (*word)(&x.Name) }},
	{"synsets", optional, func(x *Class) value { return (*row[string])(&x.Synsets) }},
	{"voc", optional, func(x *Class) value { return (*integer)(&x.VOC) }},
}

var countFields = []field[Count]{
	{"split", false, func(x *Count) value { return (*word)(&x.Split) }},
	{"tier", false, func(x *Count) value { return (*word)(&x.Tier) }},
	{"images", false, func(x *Count) value { return (*integer)(&x.Images) }},
}

var partFields = []field[part]{
	{"path", false, func(x *part) value { return (*text)(&x.Path) }},
	{"records", false, func(x *part) value { return (*integer)(&x.Records) }},
	{"sha256", false, func(x *part) value { return (*text)(&x.SHA256) }},
}

// The layout of a part file: a list of records.
var recordFields = []field[Record]{
	{"id", false, func(x *Record) value { return (*id)(&x.ID) }},
	{"source", optional, func(x *Record) value { return (*word)(&x.Source) }},
	{"synset", optional, func(x *Record) value { return (*word)(&x.Synset) }},
	{"split", false, func(x *Record) value { return (*word)(&x.Split) }},
	{"tier", false, func(x *Record) value { return (*word)(&x.Tier) }},
	{"image", false, func(x *Record) value { return &block[Image]{&x.Image, imageFields} }},
	{"boxes", optional, func(x *Record) value { return &list[Box]{&x.Boxes, boxFields, inline} }},
	{"masks", optional, func(x *Record) value { return &list[Mask]{&x.Masks, maskFields, false} }},
}

var imageFields = []field[Image]{
	{"path", false, func(x *Image) value { return (*text)(&x.Path) }},
	{"sha256", false, func(x *Image) value { return (*text)(&x.SHA256) }},
	{"pixels", optional, func(x *Image) value { return (*text)(&x.Pixels) }},
	{"width", false, func(x *Image) value { return (*integer)(&x.Width) }},
	{"height", false, func(x *Image) value { return (*integer)(&x.Height) }},
	{"format", false, func(x *Image) value { return (*word)(&x.Format) }},
	{"orientation", false, func(x *Image) value { return (*integer)(&x.Orientation) }},
	{"origin", optional, func(x *Image) value { return (*text)(&x.Origin) }},
	{"notes", optional, func(x *Image) value { return (*row[string])(&x.Notes) }},
}

var boxFields = []field[Box]{
	{"xMin", false, func(x *Box) value { return (*integer)(&x.XMin) }},
	{"yMin", false, func(x *Box) value { return (*integer)(&x.YMin) }},
	{"xMax", false, func(x *Box) value { return (*integer)(&x.XMax) }},
	{"yMax", false, func(x *Box) value { return (*integer)(&x.YMax) }},
}

var maskFields = []field[Mask]{
	{"tier", false, func(x *Mask) value { return (*word)(&x.Tier) }},
	{"revision", false, func(x *Mask) value { return (*integer)(&x.Revision) }},
	{"path", false, func(x *Mask) value { return (*text)(&x.Path) }},
	{"sha256", false, func(x *Mask) value { return (*text)(&x.SHA256) }},
	{"figure", false, func(x *Mask) value { return (*integer)(&x.Figure) }},
	{"void", false, func(x *Mask) value { return (*integer)(&x.Void) }},
	{"quality", optional, func(x *Mask) value { return (*decimal)(&x.Quality) }},
	{"status", optional, func(x *Mask) value { return (*word)(&x.Status) }},
	{"wasGeneratedBy", optional, func(x *Mask) value { return (*word)(&x.WasGeneratedBy) }},
	{"generatedAtTime", optional, func(x *Mask) value { return (*text)(&x.GeneratedAtTime) }},
	{"used", optional, func(x *Mask) value { return (*row[Digest])(&x.Used) }},
	{"wasDerivedFrom", optional, func(x *Mask) value { return (*ids)(&x.WasDerivedFrom) }},
	{"wasAttributedTo", optional, func(x *Mask) value { return (*text)(&x.WasAttributedTo) }},
}

// The layout of the list of what a stage left out.
var skipFields = []field[Skip]{
	{"record", false, func(x *Skip) value { return (*id)(&x.Record) }},
	{"reason", false, func(x *Skip) value { return (*word)(&x.Reason) }},
	{"detail", optional, func(x *Skip) value { return (*text)(&x.Detail) }},
}
