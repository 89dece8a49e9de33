package requests

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// BenchmarkRead reads long texts of made-up requests; MB/s is what to look at.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct{ name, before, row string }{
		{"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n", "2023-11-16 18:%02d:%02d.6805900,374,%d\n"},
		{"burstgpt", "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n", "%d%02d,ChatGPT,472,18,490,Conversation log %d\n"},
		{"mooncake", "", `{"timestamp": 1%02d%02d000, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, %d]}` + "\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var text bytes.Buffer
			text.WriteString(c.before)
			for i := range 60 * 60 * 10 {
				fmt.Fprintf(&text, c.row, i/600, i/10%60, i)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(text.Bytes()), "x")
				if err != nil {
					b.Fatal(err)
				}
				for {
					var q Request
					ok, err := r.Next(&q)
					if err != nil && err != io.EOF {
						b.Fatal(err)
					}
					if !ok {
						break
					}
				}
			}
		})
	}
}
