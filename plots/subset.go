package plots

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// subsets maps each font of a figure to the part of it that the figure uses:
// an SVG then carries some 30 kB of outlines instead of 400.
type subsets map[*opentype.Font]*opentype.Font

func (s subsets) face(f font.Face) font.Face {
	if small := s[f.Face]; small != nil {
		f.Face = small
	}
	return f
}

// faces draws the figure into the void to see which letters it needs. A font
// that cannot be cut is embedded whole.
func (f *Figure) faces() subsets {
	seen := map[*opentype.Font]map[rune]bool{}
	c := draw.NewCanvas(&textSpy{seen: seen}, f.width, f.height)
	f.render(c)
	out := subsets{}
	for face, letters := range seen {
		if small, err := subset(face, letters); err == nil {
			out[face] = small
		}
	}
	return out
}

// textSpy is a canvas that only notes which letters are drawn.
type textSpy struct {
	recorder.Canvas
	seen map[*opentype.Font]map[rune]bool
}

func (c *textSpy) FillString(f font.Face, _ vg.Point, s string) {
	letters := c.seen[f.Face]
	if letters == nil {
		letters = map[rune]bool{}
		c.seen[f.Face] = letters
	}
	for _, r := range s {
		letters[r] = true
	}
}

// subset copies a TrueType font without the outlines of the letters that are
// not asked for, the names of glyphs and the layout tables. Glyphs keep their
// numbers, so the other tables stay as they are.
func subset(face *opentype.Font, letters map[rune]bool) (*opentype.Font, error) {
	var raw bytes.Buffer
	if _, err := face.WriteSourceTo(nil, &raw); err != nil {
		return nil, err
	}
	tables, err := readTables(raw.Bytes())
	if err != nil {
		return nil, err
	}
	keep := map[int]bool{0: true}
	var buf sfnt.Buffer
	for r := range letters {
		i, err := face.GlyphIndex(&buf, r)
		if err != nil {
			return nil, err
		}
		keep[int(i)] = true
	}
	if err := cutGlyphs(tables, keep); err != nil {
		return nil, err
	}
	return opentype.Parse(writeTables(tables))
}

// keptTables are what a browser needs to draw and hint a TrueType font.
var keptTables = []string{
	"OS/2", "cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post", "prep",
}

func readTables(raw []byte) (map[string][]byte, error) {
	if len(raw) < 12 || binary.BigEndian.Uint32(raw) != 0x00010000 {
		return nil, fmt.Errorf("not a TrueType font")
	}
	tables := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(raw[4:])) {
		rec := raw[12+16*i:]
		off, n := binary.BigEndian.Uint32(rec[8:]), binary.BigEndian.Uint32(rec[12:])
		if name := string(rec[:4]); slices.Contains(keptTables, name) {
			tables[name] = raw[off : off+n]
		}
	}
	for _, name := range keptTables {
		if len(tables[name]) == 0 {
			return nil, fmt.Errorf("no table %q", name)
		}
	}
	return tables, nil
}

// cutGlyphs rewrites glyf and loca so that only the kept glyphs, and the parts
// that they are composed of, have outlines. Offsets become 32 bits wide.
func cutGlyphs(tables map[string][]byte, keep map[int]bool) error {
	n := int(binary.BigEndian.Uint16(tables["maxp"][4:]))
	wide := binary.BigEndian.Uint16(tables["head"][50:]) == 1
	outline := func(i int) []byte {
		loca := tables["loca"]
		if wide {
			return tables["glyf"][binary.BigEndian.Uint32(loca[4*i:]):binary.BigEndian.Uint32(loca[4*i+4:])]
		}
		return tables["glyf"][2*int(binary.BigEndian.Uint16(loca[2*i:])) : 2*int(binary.BigEndian.Uint16(loca[2*i+2:]))]
	}
	for todo := sortedKeys(keep); len(todo) > 0; todo = todo[1:] {
		if todo[0] >= n {
			return fmt.Errorf("glyph %d of %d", todo[0], n)
		}
		for _, part := range components(outline(todo[0])) {
			if !keep[part] {
				keep[part] = true
				todo = append(todo, part)
			}
		}
	}
	var glyf []byte
	loca := binary.BigEndian.AppendUint32(nil, 0)
	for i := range n {
		if keep[i] {
			glyf = append(glyf, outline(i)...)
			glyf = append(glyf, make([]byte, -len(glyf)&3)...)
		}
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	}
	tables["glyf"], tables["loca"] = glyf, loca
	tables["head"] = slices.Clone(tables["head"])
	binary.BigEndian.PutUint16(tables["head"][50:], 1)
	tables["post"] = slices.Clone(tables["post"][:32])
	binary.BigEndian.PutUint32(tables["post"], 0x00030000) // no names
	return nil
}

// components lists the glyphs that a composite outline refers to.
func components(outline []byte) (parts []int) {
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return nil
	}
	const wordArgs, scale, more, scaleXY, matrix = 1, 8, 32, 64, 128
	for p := outline[10:]; ; {
		flags := binary.BigEndian.Uint16(p)
		parts = append(parts, int(binary.BigEndian.Uint16(p[2:])))
		size := 6
		if flags&wordArgs != 0 {
			size += 2
		}
		switch {
		case flags&scale != 0:
			size += 2
		case flags&scaleXY != 0:
			size += 4
		case flags&matrix != 0:
			size += 8
		}
		if flags&more == 0 {
			return parts
		}
		p = p[size:]
	}
}

// writeTables assembles a font file, with the checksums that the format wants.
func writeTables(tables map[string][]byte) []byte {
	n, log := len(tables), 0
	for 2<<log <= n {
		log++
	}
	out := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, v := range []int{n, 16 << log, log, 16*n - 16<<log} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	binary.BigEndian.PutUint32(tables["head"][8:], 0)
	var body []byte
	head := 0
	for _, name := range sortedKeys(tables) {
		at := 12 + 16*n + len(body)
		if name == "head" {
			head = at
		}
		t := tables[name]
		padded := append(slices.Clone(t), make([]byte, -len(t)&3)...)
		out = append(out, name...)
		for _, v := range []uint32{checksum(padded), uint32(at), uint32(len(t))} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		body = append(body, padded...)
	}
	out = append(out, body...)
	binary.BigEndian.PutUint32(out[head+8:], 0xB1B0AFBA-checksum(out))
	return out
}

// checksum adds up words; the length must be a multiple of four.
func checksum(b []byte) (sum uint32) {
	for ; len(b) > 0; b = b[4:] {
		sum += binary.BigEndian.Uint32(b)
	}
	return sum
}

// WebFont is the part of the figures' typeface that some letters need, as a
// TrueType file for a page that shows figures without the fonts of their files.
func WebFont(letters string) ([]byte, error) {
	seen := map[rune]bool{}
	for _, r := range letters {
		seen[r] = true
	}
	face := font.DefaultCache.Lookup(textStyle(plainText, nil).Font, plainText).Face
	small, err := subset(face, seen)
	if err != nil {
		return nil, fmt.Errorf("plots: Liberation Sans: %w", err)
	}
	var raw bytes.Buffer
	if _, err := small.WriteSourceTo(nil, &raw); err != nil {
		return nil, err
	}
	return raw.Bytes(), nil
}
