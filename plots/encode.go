package plots

import (
	"fmt"
	"image/color"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI is the resolution of PNG files, in dots per inch of print size.
const pngDPI = 300

// A PDF names its time of creation and lists its fonts in map order unless
// told otherwise; gonum offers no way to tell it but these defaults.
func init() {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
}

// encode draws in a format. The drawing libraries report trouble, such as a
// missing directory for temporary files, by a panic: here it becomes an error.
func (f *Figure) encode(w io.Writer, format string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("plots: drawing as %s: %v", format, r)
		}
	}()
	var file io.WriterTo
	switch format {
	case "svg":
		faces := f.faces()
		c := vgsvg.NewWith(vgsvg.UseWH(f.width, f.height), vgsvg.EmbedFonts(true))
		f.render(draw.New(&textCanvas{CanvasSizer: c, face: faces.face}))
		file = c
	case "pdf":
		c := vgpdf.New(f.width, f.height)
		f.render(draw.New(&textCanvas{CanvasSizer: c, text: windows1252, ink: straight}))
		file = c
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
		f.render(draw.New(c))
		file = vgimg.PngCanvas{Canvas: c}
	default:
		return fmt.Errorf("plots: format %q is unknown; accepted are svg, pdf, png", format)
	}
	_, err = file.WriteTo(w)
	return err
}

// textCanvas passes text and colours through optional filters on their way to a
// canvas.
type textCanvas struct {
	vg.CanvasSizer
	text func(string) string
	face func(font.Face) font.Face
	ink  func(color.Color) color.Color
}

func (c *textCanvas) SetColor(ink color.Color) {
	if c.ink != nil && ink != nil {
		ink = c.ink(ink)
	}
	c.CanvasSizer.SetColor(ink)
}

func (c *textCanvas) FillString(f font.Face, at vg.Point, s string) {
	if c.text != nil {
		s = c.text(s)
	}
	if c.face != nil {
		f = c.face(f)
	}
	c.CanvasSizer.FillString(f, at, s)
}

// straightColor tells its parts without its opacity.
type straightColor struct{ color.NRGBA }

func (c straightColor) RGBA() (r, g, b, a uint32) {
	const wide = 0x101
	return wide * uint32(c.R), wide * uint32(c.G), wide * uint32(c.B), wide * uint32(c.A)
}

// straight is a colour for a PDF: gonum would darken it by its opacity, and the
// reader again.
func straight(c color.Color) color.Color {
	return straightColor{color.NRGBAModel.Convert(c).(color.NRGBA)}
}

// spelled has the letters of figures that Windows-1252 lacks.
var spelled = strings.NewReplacer("≤", "<=", "≥", ">=", "σ", "sigma", "μ", "µ", "→", "->")

// windows1252 is the encoding in which gonum embeds fonts in a PDF, though it
// hands strings on as they are. Letters outside of it are spelled out or become
// "?".
func windows1252(s string) string {
	s = spelled.Replace(s)
	enc := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder())
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r == '−' { // the minus sign: an en dash is as wide
			r = '–'
		}
		b, err := enc.Bytes([]byte(string(r)))
		if err != nil || len(b) != 1 || b[0] == encoding.ASCIISub {
			b = []byte("?")
		}
		out = append(out, b...)
	}
	return string(out)
}
