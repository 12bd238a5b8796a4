package plain

import (
	"cmp"
	"errors"
	"fmt"
	"io"
)

// Bounds are the most that is read of files, which may come from strangers. An input beyond one of them is an
// ErrBound, which names the bound. Together they keep a command below half a gigabyte of memory.
type Bounds struct {
	// File is the bytes of a file that is read whole, uncompressed. Metrics have some megabytes.
	File int64
	// Document is the bytes of a YAML document, which takes a hundred times as much memory. JSON, which takes less,
	// may have four times as many.
	Document int64
	// Members is the number of files that are read together: in an archive and the archives in it, or of -f. Documents
	// is the number of documents of these files, and of objects in a list.
	Members, Documents int
	// Sum is the bytes of all files of an archive, uncompressed; the files of an archive in it count again. Ratio bounds
	// them too, as a multiple of the archive's own size, but to no less than two Files.
	Sum, Ratio int64
	// Kept is the bytes of the files that are kept together in memory.
	Kept int64
	// Depth is how deep archives may be in one another.
	Depth int
	// Aliases is the bytes that aliases add to a YAML document.
	Aliases int64
}

// Default are the bounds of the commands.
func Default() Bounds {
	return Bounds{File: 1 << 26, Document: 1 << 22, Members: 100_000, Documents: 20_000, Sum: 1 << 32, Ratio: 200, Kept: 1 << 27, Depth: 4, Aliases: 1 << 22}
}

// ErrBound means that an input is beyond one of the Bounds.
var ErrBound = errors.New("too much to read")

// exceeds is the error of a bound.
func exceeds(what string, bound int64) error {
	return fmt.Errorf("%w: %s; the bound is %d", ErrBound, what, bound)
}

// Tally counts what is read of files together. Create one with Archive or Files.
type Tally struct {
	Bounds

	files      int
	sum, limit int64
	what       string // limit is of
	name       string // of the last file
	err        error
}

// Archive counts what is read of an archive of a size in bytes, and of the archives in it.
func (b Bounds) Archive(size int64) *Tally {
	t := &Tally{Bounds: b, limit: b.Sum, what: "bytes of the files in an archive"}
	if most := max(2*b.File, b.Ratio*min(size, b.Sum)); most < b.Sum {
		t.limit, t.what = most, fmt.Sprintf("bytes of the files in an archive of %d bytes", size)
	}
	return t
}

// Files counts what is read of files of documents, which are kept in memory.
func (b Bounds) Files() *Tally {
	b.File = min(b.File, 4*b.Document)
	return &Tally{Bounds: b, limit: b.Kept, what: "bytes of the files together"}
}

// Add counts a file. depth is the number of archives that it is in.
func (t *Tally) Add(name string, depth int) error {
	t.files++
	switch {
	case t.err != nil:
		return t.err
	case depth > t.Depth:
		return exceeds("archives in one another", int64(t.Depth))
	case t.files > t.Members:
		t.Stop(exceeds("number of files", int64(t.Members)))
	}
	t.name = name
	return t.err
}

// Count returns an input whose reads count, and end with the error of the bound.
func (t *Tally) Count(in io.Reader) io.Reader { return &counted{in, t} }

// Stop ends all reading with the error of a bound.
func (t *Tally) Stop(err error) { t.err = cmp.Or(t.err, err) }

// Err is the error of the first bound of all files that was exceeded, with the name of the file.
func (t *Tally) Err() error {
	if t.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", t.name, t.err)
}

type counted struct {
	in io.Reader
	*Tally
}

// Read implements io.Reader.
func (c *counted) Read(into []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.in.Read(into)
	if c.sum += int64(n); c.sum > c.limit {
		c.Stop(exceeds(c.what, c.limit))
		return n, c.err
	}
	return n, err
}

// ReadFile returns the plain text of a file, which counts.
func (t *Tally) ReadFile(name string) ([]byte, error) {
	if err := t.Add(name, 0); err != nil {
		return nil, err
	}
	data, err := ReadFile(name, t.File)
	if t.sum += int64(len(data)); t.sum > t.limit {
		t.Stop(exceeds(t.what, t.limit))
	}
	return data, cmp.Or(err, t.err)
}
