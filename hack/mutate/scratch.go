package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// scratch is a copy of the tree that receives the faults.
type scratch struct{ dir string }

// newScratch copies the files that git tracks and untracked files that it does
// not ignore. With programs it also copies bin/; the server there is rebuilt with
// each fault.
func newScratch(ctx context.Context, root string, programs bool) (*scratch, error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir}
	files, err := output(ctx, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err == nil {
		err = s.copyAll(root, bytes.Split(files, []byte{0}))
	}
	if err == nil && programs {
		err = s.copyPrograms(root)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *scratch) remove() { _ = os.RemoveAll(s.dir) }

func (s *scratch) copyAll(root string, names [][]byte) error {
	for _, name := range names {
		path := string(name)
		info, err := os.Lstat(filepath.Join(root, path))
		if path == "" || os.IsNotExist(err) {
			continue // the end of the list, or a deletion that is not committed yet
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if err := s.copyFile(root, path, info.Mode()); err != nil {
			return err
		}
	}
	return nil
}

func (s *scratch) copyPrograms(root string) error {
	entries, err := os.ReadDir(filepath.Join(root, "bin"))
	if err != nil || len(entries) == 0 {
		return fmt.Errorf("there are no programs for end-to-end tests: run 'make binaries', or mutate with -unit (%w)", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() && entry.Name() != filepath.Base(serverPath) {
			if err := s.copyFile(root, filepath.Join("bin", entry.Name()), info.Mode()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scratch) copyFile(root, path string, mode os.FileMode) error {
	source, err := os.Open(filepath.Join(root, path))
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target := filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	copied, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(copied, source); err != nil {
		_ = copied.Close()
		return err
	}
	return copied.Close()
}

// put writes the file of m with the fault.
func (s *scratch) put(m *mutant) error {
	return os.WriteFile(filepath.Join(s.dir, m.file), m.mutated(), 0o644)
}

// restore writes the file of m without the fault.
func (s *scratch) restore(m *mutant) error {
	return os.WriteFile(filepath.Join(s.dir, m.file), m.source, 0o644)
}
