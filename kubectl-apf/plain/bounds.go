package plain

import (
	"errors"
	"fmt"
	"io"
)

// Bounds are the most that is read of files, which may come from strangers. An input beyond one of them is an
// ErrBound, which names the bound.
type Bounds struct {
	// File is the bytes of a file that is read whole, uncompressed. Metrics have some megabytes.
	File int64
	// Members is the number of files in an archive and in the archives in it, Sum the bytes of all of them.
	Members int
	Sum     int64
	// Depth is how deep archives may be in one another.
	Depth int
	// Aliases is the bytes that aliases add to a YAML document.
	Aliases int64
}

// Default are the bounds of the commands.
func Default() Bounds {
	return Bounds{File: 1 << 28, Members: 200_000, Sum: 1 << 30, Depth: 4, Aliases: 1 << 24}
}

// ErrBound means that an input is beyond one of the Bounds.
var ErrBound = errors.New("too much to read")

// exceeds is the error of a bound.
func exceeds(what string, bound int64) error {
	return fmt.Errorf("%w: %s; the bound is %d", ErrBound, what, bound)
}

// Archive counts what is read of an archive and of the archives in it.
type Archive struct {
	Bounds

	members int
	sum     int64
	err     error
}

// Read returns the plain text of a member whole. depth is 1 for an archive that is not in another one.
func (a *Archive) Read(name string, member io.Reader, depth int) ([]byte, error) {
	a.members++
	switch {
	case depth > a.Depth:
		return nil, exceeds("archives in one another", int64(a.Depth))
	case a.members > a.Members:
		return nil, a.stop(name, exceeds("files in an archive", int64(a.Members)))
	}
	data, err := ReadAll(member, min(a.File, a.Sum-a.sum))
	a.sum += int64(len(data))
	if a.sum > a.Sum {
		return nil, a.stop(name, exceeds("bytes of the files in an archive", a.Sum))
	}
	return data, err
}

func (a *Archive) stop(name string, err error) error {
	a.err = fmt.Errorf("%s: %w", name, err)
	return err
}

// Err is the error of the first member beyond a bound of the whole archive, with its name.
func (a *Archive) Err() error { return a.err }
