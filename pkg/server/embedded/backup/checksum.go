package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// sectorSize divides the size of every database.
	sectorSize = 512
	// boltMagic and boltMagicOffset identify the first page of a database of bbolt.
	boltMagic       uint32 = 0xED0CDAED
	boltMagicOffset int    = 16
)

// verifyChecksum verifies the checksum at the end of a snapshot, and returns
// the size of the file in bytes. The error says whether the file is a snapshot at all,
// has no checksum, or is damaged.
func verifyChecksum(path string) (size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("snapshot %s cannot be read: %w", path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("snapshot %s cannot be read: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a file", path)
	}
	if err := checkMagic(file); err != nil {
		return 0, fmt.Errorf("%s is not a snapshot of etcd: %w", path, err)
	}
	if info.Size()%sectorSize != sha256.Size {
		return 0, fmt.Errorf("snapshot %s is cut off, or is a database that was copied without etcd: no checksum is at its end; take a snapshot with 'etcd snapshot'", path)
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, file, info.Size()-sha256.Size); err != nil {
		return 0, fmt.Errorf("snapshot %s cannot be read: %w", path, err)
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(file, want); err != nil {
		return 0, fmt.Errorf("snapshot %s cannot be read: %w", path, err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return 0, fmt.Errorf("snapshot %s is damaged: its checksum does not match; use another snapshot", path)
	}
	return info.Size(), nil
}

// checkMagic reads the first bytes of a file and returns to its beginning.
func checkMagic(file *os.File) error {
	begin := make([]byte, boltMagicOffset+4)
	if _, err := io.ReadFull(file, begin); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is too short")
	} else if err != nil {
		return err
	}
	if binary.NativeEndian.Uint32(begin[boltMagicOffset:]) != boltMagic {
		return errors.New("it does not begin as a database does")
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}
