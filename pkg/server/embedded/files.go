package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// writeFileAtomically replaces path as a whole: a reader, or a crash, sees the
// old content or the new. The name is durable after the next syncDirectory. The
// temporary file has a fixed name, which is safe under the directory's lock and
// leaves at most one behind.
func writeFileAtomically(path string, content []byte, mode os.FileMode) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := writeAndSync(temporary, content, mode); err != nil {
		return errors.Join(err, removeIfThere(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, removeIfThere(temporary))
	}
	return nil
}

func writeAndSync(path string, content []byte, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	// The umask may have taken bits away, a leftover may have others.
	err = file.Chmod(mode)
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// syncDirectory makes the names in a directory as durable as the files.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// tightenFile takes the rights of group and others away from a secret.
func tightenFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !openToOthers(info) {
		return nil
	}
	return os.Chmod(path, secretMode)
}
