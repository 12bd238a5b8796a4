package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

const checksumsName = "checksums.txt"

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// writeChecksums writes the checksums of all files in the directory, as sha256sum --check
// reads them.
func (r *release) writeChecksums() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, entry := range entries {
		if entry.IsDir() || entry.Name() == checksumsName {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.dir, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", checksum(content), entry.Name())
	}
	return r.write(checksumsName, sums.Bytes())
}
