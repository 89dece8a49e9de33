package report

import (
	"fmt"
	"image/color"
	"math"
)

// Figures are drawn in ink on white. For a dark page each of their colours is
// turned over in lightness and keeps its hue: what stood apart stays apart.

// onDark is a colour of the light theme as the dark one has it, by turning over
// the lightness of OKLab (Björn Ottosson, 2020). White becomes the dark page's
// ground; the middle is lifted, so that lines stand out from the ground, as far as
// labels on it can still be read.
func onDark(c color.NRGBA) color.NRGBA {
	const ground, span, lift = 0.2222, 0.7328, 0.7
	l, a, b := oklab(c)
	l = ground + span*math.Pow(max(1-l, 0), lift)
	for chroma := 1.0; chroma > 0; chroma -= 0.02 {
		if out, ok := fromOKLab(l, chroma*a, chroma*b); ok {
			return out
		}
	}
	out, _ := fromOKLab(l, 0, 0)
	return out
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// oklab is lightness (0 to 1) and the two axes of colour.
func oklab(c color.NRGBA) (l, a, b float64) {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	red, green, blue := linear(c.R), linear(c.G), linear(c.B)
	long := math.Cbrt(0.4122214708*red + 0.5363325363*green + 0.0514459929*blue)
	medium := math.Cbrt(0.2119034982*red + 0.6806995451*green + 0.1073969566*blue)
	short := math.Cbrt(0.0883024619*red + 0.2817188376*green + 0.6299787005*blue)
	return 0.2104542553*long + 0.7936177850*medium - 0.0040720468*short,
		1.9779984951*long - 2.4285922050*medium + 0.4505937099*short,
		0.0259040371*long + 0.7827717662*medium - 0.8086757660*short
}

// fromOKLab is the way back; it reports whether sRGB has the colour.
func fromOKLab(l, a, b float64) (color.NRGBA, bool) {
	cube := func(v float64) float64 { return v * v * v }
	long := cube(l + 0.3963377774*a + 0.2158037573*b)
	medium := cube(l - 0.1055613458*a - 0.0638541728*b)
	short := cube(l - 0.0894841775*a - 1.2914855480*b)
	ok := true
	gamma := func(v float64) uint8 {
		if v < -1e-3 || v > 1+1e-3 {
			ok = false
		}
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		return uint8(math.Round(255 * v))
	}
	out := color.NRGBA{
		R: gamma(4.0767416621*long - 3.3077115913*medium + 0.2309699292*short),
		G: gamma(-1.2684380046*long + 2.6097574011*medium - 0.3413193965*short),
		B: gamma(-0.0041960863*long - 0.7034186147*medium + 1.7076147010*short),
		A: 255,
	}
	return out, ok
}
