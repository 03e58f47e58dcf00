package appearance

import (
	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/feature"
)

// Options of Train and Model.
type Options struct {
	Side int // a window is scaled to Side² pixels
	// of pictures, 2 or more: what the second stage learns from, and calibration
	Folds int
	Trees boost.Options // of both stages
	Click bool          // windows come with a pixel of the figure, see Window
	// of the arrays of a network that windows come with; 0 for none
	Channels int
}

// Windows returns the options for windows around objects. All numbers here were chosen by
// leave-one-out transfer on the VOC training images.
func Windows() Options {
	t := boost.Defaults()
	t.Trees, t.Depth, t.Rate, t.Loss, t.ColumnSample, t.Borders, t.L2 = 150, 5, 0.1, boost.Logistic, 0.2, 32, 10
	return Options{Side: 128, Folds: 3, Trees: t}
}

// Scenes returns the options for whole pictures, in which objects are smaller.
func Scenes() Options {
	o := Windows()
	o.Side = 192
	return o
}

// Clicks returns the options for whole pictures with a pixel of the figure.
func Clicks() Options {
	o := Scenes()
	o.Click = true
	return o
}

// dims returns the number of features of the first stage and how many the second adds.
func (o Options) dims() (first, second int) {
	first, second = 41+2*(feature.DraftDim-firstTexture)+o.Channels, 15
	if o.Click {
		first, second = first+clickColumns, second+clickContext
	}
	return first, second
}

const (
	margin       = 0.2 // share of a window's sides that is seen around it
	superpixelPx = 64  // mean pixels of a superpixel in the scaled window
	seedGround   = 0.1 // up to this prior a superpixel is surely ground
	seedFigure   = 0.85
)

var (
	// sides of spatial bins of the two texture descriptors, in scaled pixels
	siftBins = [2]int{6, 12}
	// standard deviations of the two colour kernels, in CIELAB units
	colorScales = [2]float64{6, 14}
)
