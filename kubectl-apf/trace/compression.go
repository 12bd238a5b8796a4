package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"

	bufferSize = 64 << 10
)

// Decompress returns the plain bytes of an input that may be compressed with gzip or
// zstd. Close releases its memory; it does not close the input.
func Decompress(in io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(in, bufferSize)
	magic, err := buffered.Peek(len(zstdMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte(gzipMagic)):
		return gzip.NewReader(buffered)
	case bytes.HasPrefix(magic, []byte(zstdMagic)):
		plain, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return plain.IOReadCloser(), nil
	default:
		return io.NopCloser(buffered), nil
	}
}

// compress returns a writer that compresses as the ending of a file name says: .gz, .zst,
// or not at all.
func compress(out io.Writer, name string) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(out), nil
	case ".zst", ".zstd":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	default:
		return nopCloser{out}, nil
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
