// Package plots draws what runs did: one file a figure, one theme.
//
// A figure function takes plain data and returns a *Figure, which is written
// as SVG (fonts embedded), PDF or PNG. Equal data gives equal bytes, whatever
// the machine's clock, locale or installed fonts. Data that cannot be drawn is
// an error that says why; a run in which nothing happened is not: it gives a
// figure with empty panels.
//
// Lengths are print sizes: a column is 3.4 inches wide, a page 7, and no text
// is smaller than 7 points. Colours stay apart for colour-blind readers and in
// greyscale; sources: Paul Tol, "Colour Schemes" (SRON/EPS/TN/09-002), and
// Okabe and Ito, "Color Universal Design".
package plots
