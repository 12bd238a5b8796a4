// Package plain reads saved files: logs, dumps, manifests and traces may be compressed with gzip or zstd,
// and be UTF-16, as PowerShell's > writes it.
package plain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	bufferSize = 4 << 10 // callers have their own
	gzipMagic  = "\x1f\x8b"
	zstdMagic  = "\x28\xb5\x2f\xfd"
	// maxWindow is the memory that a frame of zstd may ask for, in bytes: as much as the program zstd takes.
	maxWindow = 1 << 27
)

// Text returns the uncompressed text of an input in UTF-8, without a byte order mark. Bytes that are
// no text pass through. Close releases memory; it does not close the input.
func Text(in io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(in, bufferSize)
	magic, err := buffered.Peek(10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")), bytes.HasPrefix(magic, []byte("BZh")) && bytes.HasSuffix(magic, []byte("1AY&SY")):
		return nil, errors.New("it is compressed with xz or bzip2, which are not read: decompress it first")
	case bytes.HasPrefix(magic, []byte(gzipMagic)):
		plain, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		return asUTF8(plain), nil
	case bytes.HasPrefix(magic, []byte(zstdMagic)):
		plain, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return asUTF8(plain.IOReadCloser()), nil
	default:
		return asUTF8(io.NopCloser(buffered)), nil
	}
}

// IsCompressed reports whether Text decompresses a text that begins so.
func IsCompressed(head []byte) bool {
	return bytes.HasPrefix(head, []byte(gzipMagic)) || bytes.HasPrefix(head, []byte(zstdMagic))
}

// asUTF8 returns a text as UTF-8. Without a byte order mark it is returned as it is.
func asUTF8(in io.ReadCloser) io.ReadCloser {
	buffered := bufio.NewReaderSize(in, 16) // for the mark alone
	mark, _ := buffered.Peek(3)             // reading tells the error again
	var plain io.Reader = buffered
	for _, known := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(mark, []byte(known)) {
			plain = transform.NewReader(buffered, unicode.BOMOverride(transform.Nop))
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{plain, in}
}

// Until returns an input whose reads end with the error of a context that has ended.
func Until(ctx context.Context, in io.Reader) io.Reader { return &until{ctx, in} }

type until struct {
	ctx context.Context //nolint:containedctx // of one input
	in  io.Reader
}

// Read implements io.Reader.
func (u *until) Read(into []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(into)
}

// Whole returns a text whole, of at most limit bytes.
func Whole(in io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = exceeds("bytes of the file", limit)
	}
	return data, err
}

// Stat is os.Stat, whose error names the same operation as os.Open.
func Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: "open", Path: name, Err: fault.Err}
	}
	return info, err
}

// ReadAll returns the plain text of an input whole, of at most limit bytes.
func ReadAll(in io.Reader, limit int64) ([]byte, error) {
	plain, err := Text(in)
	if err != nil {
		return nil, err
	}
	defer plain.Close() //nolint:errcheck // releases memory
	return Whole(plain, limit)
}

// ReadFile returns the plain text of a file, of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return ReadAll(file, limit)
}
