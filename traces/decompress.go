package traces

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"

	fastflate "github.com/klauspost/compress/flate"
	fastgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what a zstd frame may make its reader remember: the most
// that the zstd tool writes without --long.
const maxWindow = 128 << 20

// Decompress sees through gzip and zstd by the first bytes, not the name; name
// stands for the input in errors. Lines below 1 MiB fit the reader's buffer.
func Decompress(r io.Reader, name string) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(r, 64<<10)
	magic, _ := raw.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := fastgzip.NewReader(raw)
		if err != nil {
			return nil, &InputError{File: name, Msg: "starts like gzip but cannot be decompressed: " + err.Error(), Err: err}
		}
		return bufio.NewReaderSize(z, maxLine), nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// One at a time: decoding stays in the caller's goroutine, and there is
		// nothing to close.
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, &InputError{File: name, Msg: "starts like zstd but cannot be decompressed: " + err.Error(), Err: err}
		}
		return bufio.NewReaderSize(z, maxLine), nil
	}
	return bufio.NewReaderSize(raw, maxLine), nil
}

// isCut says whether compressed data is damaged or ends early.
func isCut(err error) bool {
	var corrupt flate.CorruptInputError
	var fastCorrupt fastflate.CorruptInputError
	for _, known := range []error{
		io.ErrUnexpectedEOF, gzip.ErrChecksum, gzip.ErrHeader, fastgzip.ErrChecksum, fastgzip.ErrHeader,
		zstd.ErrCRCMismatch, zstd.ErrMagicMismatch, zstd.ErrBlockTooSmall, zstd.ErrReservedBlockType,
		zstd.ErrCompressedSizeTooBig, zstd.ErrUnexpectedBlockSize, zstd.ErrFrameSizeMismatch, zstd.ErrFrameSizeExceeded,
		zstd.ErrUnknownDictionary,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, &corrupt) || errors.As(err, &fastCorrupt)
}
