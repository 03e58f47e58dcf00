package manifests

import "hdseg/manifests/canon"

// The layout of the index NAME.yaml, in the order in which keys are written.
var indexFields = []canon.Field[index]{
	canon.Required("schema", func(x *index) canon.Value { return (*canon.Integer)(&x.Schema) }),
	canon.Required("name", func(x *index) canon.Value { return (*canon.Text)(&x.Name) }),
	canon.Required("dataset", func(x *index) canon.Value { return (*canon.Word)(&x.Dataset) }),
	canon.Optional("class", func(x *index) canon.Value { return canon.Mapping(&x.Class, classFields) }),
	canon.Required("stage", func(x *index) canon.Value { return (*canon.Word)(&x.Stage) }),
	canon.Optional("tool", func(x *index) canon.Value { return (*canon.Word)(&x.Tool) }),
	canon.Optional("version", func(x *index) canon.Value { return (*canon.Text)(&x.Version) }),
	canon.Optional("config", func(x *index) canon.Value { return (*canon.Text)(&x.Config) }),
	canon.Optional("parent", func(x *index) canon.Value { return (*canon.Text)(&x.Parent) }),
	canon.Required("seed", func(x *index) canon.Value { return (*canon.Natural)(&x.Seed) }),
	canon.Required("records", func(x *index) canon.Value { return (*canon.Integer)(&x.Records) }),
	canon.Optional("counts", func(x *index) canon.Value { return canon.Inline(&x.Counts, countFields) }),
	canon.Optional("parts", func(x *index) canon.Value { return canon.Inline(&x.Parts, partFields) }),
	canon.Optional("skipped", func(x *index) canon.Value { return canon.Inline(&x.Skips, partFields) }),
	canon.Optional("settings", func(x *index) canon.Value { return canon.Inline(&x.Options, partFields) }),
}

var classFields = []canon.Field[Class]{
	canon.Optional("name", func(x *Class) canon.Value { return (*canon.Word)(&x.Name) }),
	canon.Optional("synsets", func(x *Class) canon.Value { return (*canon.Row[string])(&x.Synsets) }),
	canon.Optional("voc", func(x *Class) canon.Value { return (*canon.Integer)(&x.VOC) }),
}

var countFields = []canon.Field[Count]{
	canon.Required("split", func(x *Count) canon.Value { return (*canon.Word)(&x.Split) }),
	canon.Required("tier", func(x *Count) canon.Value { return (*canon.Word)(&x.Tier) }),
	canon.Required("images", func(x *Count) canon.Value { return (*canon.Integer)(&x.Images) }),
}

var partFields = []canon.Field[part]{
	canon.Required("path", func(x *part) canon.Value { return (*canon.Text)(&x.Path) }),
	canon.Required("records", func(x *part) canon.Value { return (*canon.Integer)(&x.Records) }),
	canon.Required("sha256", func(x *part) canon.Value { return (*canon.Text)(&x.SHA256) }),
}

// The layout of a part file: a list of records.
var recordFields = []canon.Field[Record]{
	canon.Required("id", func(x *Record) canon.Value { return (*canon.ID)(&x.ID) }),
	canon.Optional("source", func(x *Record) canon.Value { return (*canon.Word)(&x.Source) }),
	canon.Optional("synset", func(x *Record) canon.Value { return (*canon.Word)(&x.Synset) }),
	canon.Required("split", func(x *Record) canon.Value { return (*canon.Word)(&x.Split) }),
	canon.Required("tier", func(x *Record) canon.Value { return (*canon.Word)(&x.Tier) }),
	canon.Required("image", func(x *Record) canon.Value { return canon.Mapping(&x.Image, imageFields) }),
	canon.Optional("boxes", func(x *Record) canon.Value { return canon.Inline(&x.Boxes, boxFields) }),
	canon.Optional("masks", func(x *Record) canon.Value { return canon.Items(&x.Masks, maskFields) }),
}

var imageFields = []canon.Field[Image]{
	canon.Required("path", func(x *Image) canon.Value { return (*canon.Text)(&x.Path) }),
	canon.Required("sha256", func(x *Image) canon.Value { return (*canon.Text)(&x.SHA256) }),
	canon.Optional("pixels", func(x *Image) canon.Value { return (*canon.Text)(&x.Pixels) }),
	canon.Required("width", func(x *Image) canon.Value { return (*canon.Integer)(&x.Width) }),
	canon.Required("height", func(x *Image) canon.Value { return (*canon.Integer)(&x.Height) }),
	canon.Required("format", func(x *Image) canon.Value { return (*canon.Word)(&x.Format) }),
	canon.Required("orientation", func(x *Image) canon.Value { return (*canon.Integer)(&x.Orientation) }),
	canon.Optional("origin", func(x *Image) canon.Value { return (*canon.Text)(&x.Origin) }),
	canon.Optional("notes", func(x *Image) canon.Value { return (*canon.Row[string])(&x.Notes) }),
}

var boxFields = []canon.Field[Box]{
	canon.Required("xMin", func(x *Box) canon.Value { return (*canon.Integer)(&x.XMin) }),
	canon.Required("yMin", func(x *Box) canon.Value { return (*canon.Integer)(&x.YMin) }),
	canon.Required("xMax", func(x *Box) canon.Value { return (*canon.Integer)(&x.XMax) }),
	canon.Required("yMax", func(x *Box) canon.Value { return (*canon.Integer)(&x.YMax) }),
}

var maskFields = []canon.Field[Mask]{
	canon.Required("tier", func(x *Mask) canon.Value { return (*canon.Word)(&x.Tier) }),
	canon.Required("revision", func(x *Mask) canon.Value { return (*canon.Integer)(&x.Revision) }),
	canon.Required("path", func(x *Mask) canon.Value { return (*canon.Text)(&x.Path) }),
	canon.Required("sha256", func(x *Mask) canon.Value { return (*canon.Text)(&x.SHA256) }),
	canon.Required("figure", func(x *Mask) canon.Value { return (*canon.Integer)(&x.Figure) }),
	canon.Required("void", func(x *Mask) canon.Value { return (*canon.Integer)(&x.Void) }),
	canon.Optional("quality", func(x *Mask) canon.Value { return (*canon.Decimal)(&x.Quality) }),
	canon.Optional("status", func(x *Mask) canon.Value { return (*canon.Word)(&x.Status) }),
	canon.Optional("persons", func(x *Mask) canon.Value { return (*canon.Text)(&x.Persons) }),
	canon.Optional("wasGeneratedBy", func(x *Mask) canon.Value { return (*canon.Word)(&x.WasGeneratedBy) }),
	canon.Optional("generatedAtTime", func(x *Mask) canon.Value { return (*canon.Text)(&x.GeneratedAtTime) }),
	canon.Optional("used", func(x *Mask) canon.Value { return (*canon.Row[Digest])(&x.Used) }),
	canon.Optional("wasDerivedFrom", func(x *Mask) canon.Value { return (*canon.IDs)(&x.WasDerivedFrom) }),
	canon.Optional("wasAttributedTo", func(x *Mask) canon.Value { return (*canon.Text)(&x.WasAttributedTo) }),
}

// The layout of the list of what a stage left out.
var skipFields = []canon.Field[Skip]{
	canon.Required("record", func(x *Skip) canon.Value { return (*canon.ID)(&x.Record) }),
	canon.Required("reason", func(x *Skip) canon.Value { return (*canon.Word)(&x.Reason) }),
	canon.Optional("detail", func(x *Skip) canon.Value { return (*canon.Text)(&x.Detail) }),
}
