package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Formats are the formats that Encode and Save know.
func Formats() []string { return []string{"svg", "pdf", "png"} }

// Figure is a drawing of a fixed print size.
type Figure struct {
	width, height vg.Length
	draw          func(c draw.Canvas)
}

// Size is the print size in inches.
func (f *Figure) Size() (width, height float64) {
	return float64(f.width / vg.Inch), float64(f.height / vg.Inch)
}

// render draws on white, with a margin that keeps line ends off the edge.
func (f *Figure) render(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{
		c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y},
	})
	f.draw(draw.Crop(c, margin, -margin, margin, -margin))
}

// Encode writes the figure in one of Formats. Nothing is written to w unless
// the whole drawing succeeded.
func (f *Figure) Encode(w io.Writer, format string) error {
	var buf bytes.Buffer
	if err := f.encode(&buf, format); err != nil {
		return err
	}
	_, err := buf.WriteTo(w)
	return err
}

// Save writes dir/name.format for each format, or for all Formats when none is
// given, and returns the paths. The directory is made when missing. Each file
// is written beside and renamed, so a failure leaves no half file; the paths
// of the files that were completed before it are returned with the error.
func (f *Figure) Save(dir, name string, formats ...string) ([]string, error) {
	if len(formats) == 0 {
		formats = Formats()
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	var paths []string
	for _, format := range formats {
		path := filepath.Join(dir, name+"."+format)
		if err := f.save(path, format); err != nil {
			return paths, fmt.Errorf("plots: %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (f *Figure) save(path, format string) (err error) {
	var buf bytes.Buffer
	if err := f.encode(&buf, format); err != nil {
		return err
	}
	beside := path + ".part"
	defer func() {
		if err != nil {
			os.Remove(beside)
		}
	}()
	if err := os.WriteFile(beside, buf.Bytes(), 0o666); err != nil {
		return err
	}
	return os.Rename(beside, path)
}
