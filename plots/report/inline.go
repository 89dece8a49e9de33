package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"berth/plots"
)

// palette collects the colours of a page, and says what the dark theme makes
// of them.
type palette map[string]bool // "004488"

// variable is the CSS for a colour, which the dark theme can change.
func (p palette) variable(rrggbb string) string {
	rrggbb = strings.ToUpper(rrggbb)
	p[rrggbb] = true
	return fmt.Sprintf("var(--c%s,#%s)", rrggbb, rrggbb)
}

// css are the dark theme's values.
func (p palette) css() template.CSS {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "--c%s:%s;", name, hex(onDark(parseColor(name))))
	}
	return template.CSS(b.String())
}

// parseColor reads six hexadecimal digits.
func parseColor(rrggbb string) color.NRGBA {
	v, _ := strconv.ParseUint(rrggbb, 16, 32)
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

var (
	svgStart = regexp.MustCompile(`(?s)<svg width="([0-9.]+)pt" height="([0-9.]+)pt" viewBox="([-0-9. ]+)"[^>]*>`)
	svgFonts = regexp.MustCompile(`(?s)<defs>\s*<style>.*?</style>\s*</defs>`)
	svgColor = regexp.MustCompile(`#([0-9A-Fa-f]{6})\b`)
)

// inlineSVG turns a figure's file into a part of the page. The fonts that the
// file carries are left away: the page has one for all figures. The figure is scaled to the width that the page has for it, down to
// where its text can still be read.
func inlineSVG(file []byte, id, alt string, p palette) (template.HTML, error) {
	at := svgStart.FindSubmatchIndex(file)
	if at == nil {
		return "", fmt.Errorf("report: figure %s is no SVG file of this project", id)
	}
	m := svgStart.FindSubmatch(file)
	width, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		return "", fmt.Errorf("report: figure %s: %w", id, err)
	}
	body := svgFonts.ReplaceAll(file[at[1]:], nil)
	body = bytes.ReplaceAll(body, []byte("font-family:Liberation Sans"), []byte("font-family:figure,Liberation Sans,Arial,Helvetica,sans-serif"))
	text := svgColor.ReplaceAllStringFunc(string(body), func(c string) string { return p.variable(c[1:]) })
	title := template.HTMLEscapeString(alt)
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s" role="img" aria-labelledby="%s-alt" style="width:%.0fpt;min-width:%.0fpt"><title id="%s-alt">%s</title>`,
		m[3], id, 1.2*width, min(0.9*width, 440), id, title)
	return template.HTML(head + text), nil
}

var svgText = regexp.MustCompile(`>([^<>]+)</text>`)

// fontFace is a font for the text of the page's figures, so that it stays where
// it was put on systems without that typeface too.
func fontFace(figures map[string]template.HTML) (template.CSS, error) {
	var letters strings.Builder
	for _, svg := range figures {
		for _, m := range svgText.FindAllStringSubmatch(string(svg), -1) {
			letters.WriteString(html.UnescapeString(m[1]))
		}
	}
	font, err := plots.WebFont(letters.String())
	if err != nil {
		return "", err
	}
	return template.CSS(`@font-face{font-family:figure;src:url(data:font/ttf;base64,` + base64.StdEncoding.EncodeToString(font) + `)}`), nil
}

// colorName is six hexadecimal digits.
func colorName(c color.Color) string { return hex(color.NRGBAModel.Convert(c).(color.NRGBA))[1:] }
