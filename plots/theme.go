package plots

import (
	"image/color"
	"math"

	"berth/sim"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Print sizes. Text is 7 points or more.
const (
	columnWidth = 3.4 * vg.Inch
	pageWidth   = 7 * vg.Inch
	margin      = vg.Length(3)

	smallText = vg.Length(7)   // tick labels, legends, labels in the data
	plainText = vg.Length(7.5) // axis labels, notes
	titleText = vg.Length(9)   // panel titles
)

// Colours of what holds a GPU, from dark to light: both their lightness L* and
// the luma that printers and video make of them step far enough from one to
// the next to stay apart in greyscale.
var (
	trainingColor     = rgb(0x004488)
	quantizationColor = rgb(0xAA3377)
	serviceColor      = rgb(0x35B38A)
	inferenceColor    = rgb(0xF0B93A)
	genericColor      = rgb(0xE2E2E2)

	reservedColor = rgb(0xE8F5F0) // under the hatching of idle reservation
	hatchColor    = rgb(0x0B7D5B)
	workColor     = rgb(0x3F5673) // jobs of any kind
)

// Colours of ink and ground.
var (
	inkColor   = rgb(0x1A1A1A)
	quietColor = rgb(0x5A5A5A)
	gridColor  = rgb(0xDDDDDD)
	faintColor = rgb(0xC4C4C4)
)

// KindColor is the colour of a kind of job, the same in every figure.
func KindColor(k sim.Kind) color.Color {
	switch k {
	case sim.Training:
		return trainingColor
	case sim.BatchInference:
		return inferenceColor
	case sim.Quantization:
		return quantizationColor
	}
	return genericColor
}

// kindLabel is how legends call a kind.
func kindLabel(k sim.Kind) string {
	switch k {
	case sim.BatchInference:
		return "batch inference"
	case sim.Generic:
		return "other jobs"
	}
	return k.String()
}

// policyStyles tell policies apart by colour, lightness and dashes. The first
// is the baseline's, the second its contender's.
var policyStyles = []draw.LineStyle{
	{Color: rgb(0xD9730D), Width: 1.3, Dashes: dashes(4, 1.6)},
	{Color: rgb(0x004488), Width: 1.6},
	{Color: rgb(0x6DB6E8), Width: 1.6},
	{Color: rgb(0xAA3377), Width: 1.3, Dashes: dashes(7, 1.5, 1.2, 1.5)},
	{Color: rgb(0x111111), Width: 1.3, Dashes: dashes(1.2, 1.5)},
	{Color: rgb(0x6E7F1F), Width: 1.3, Dashes: dashes(9, 2)},
	{Color: rgb(0xD6B23C), Width: 1.6, Dashes: dashes(3, 1, 1, 1)},
}

// policyStyle is the style of the i-th policy of a comparison.
func policyStyle(i int) draw.LineStyle { return policyStyles[i%len(policyStyles)] }

func dashes(lengths ...vg.Length) []vg.Length { return lengths }

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// faded is a colour for the ground of intervals, which show through one another.
func faded(c color.Color) color.Color { return through(c, 0x38) }

// through is a colour of some opacity.
func through(c color.Color, opacity uint8) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), opacity}
}

// lightness is L* of CIELAB, 0 for black to 100 for white.
func lightness(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	y := 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// ServiceColors are the colours of GPUs that serve, of the ground under idle
// reservation, and of its hatching.
func ServiceColors() (serving, reserved, hatch color.Color) {
	return serviceColor, reservedColor, hatchColor
}

// InkOn is black or white, whichever has the higher contrast (WCAG) on a ground.
func InkOn(ground color.Color) color.Color {
	if lightness(ground) > 52 {
		return inkColor
	}
	return color.White
}

// textStyle is Liberation Sans, left and baseline aligned.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// line is a solid line.
func line(c color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

// newPlot is an empty plot in the theme: no box, short ticks, data up to the
// axes.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = line(quietColor, 0.5)
		a.Label.TextStyle.Font = textStyle(plainText, nil).Font
		a.Label.TextStyle.Color = quietColor
		a.Label.Padding = 2
		a.Tick.Label.Font = textStyle(smallText, nil).Font
		a.Tick.Label.Color = inkColor
		a.Tick.LineStyle = line(quietColor, 0.5)
		a.Tick.Length = 2.5
	}
	return p
}
