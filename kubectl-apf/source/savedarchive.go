package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"time"
)

// inner returns a file of the archive.
func (f savedFile) inner(name string, modified time.Time, data []byte) savedFile {
	return savedFile{path: f.path + ":" + name, inside: path.Join(path.Dir(f.inside), name), modified: modified, data: data}
}

// untar calls visit with each file of an archive of tar.
func (f savedFile) untar(visit func(savedFile)) error {
	archive := tar.NewReader(bytes.NewReader(f.data))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := readBounded(archive)
		if err != nil {
			return err
		}
		if err := f.inner(header.Name, header.ModTime, data).unpack(visit); err != nil {
			return err
		}
	}
}

// unzip calls visit with each file of an archive of zip.
func (f savedFile) unzip(visit func(savedFile)) error {
	archive, err := zip.NewReader(bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		return err
	}
	for _, file := range archive.File {
		if !file.Mode().IsRegular() {
			continue
		}
		in, err := file.Open()
		if err != nil {
			return err
		}
		data, err := readBounded(in)
		_ = in.Close()
		if err != nil {
			return err
		}
		if err := f.inner(file.Name, file.Modified, data).unpack(visit); err != nil {
			return err
		}
	}
	return nil
}
