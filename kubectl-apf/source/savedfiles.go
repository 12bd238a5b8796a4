package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/version"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// savedFile is a file of a directory or of an archive in it.
type savedFile struct {
	// path is the name for messages; inside is the path below the directory or the
	// root of the archive, with slashes.
	path, inside string
	modified     time.Time
	data         []byte
}

// savedFiles visits the files below a root, which may be an archive. Archives are visited file by file.
type savedFiles struct {
	bounds plain.Bounds
	visit  func(savedFile)
	// skip is told of a file that cannot be read, and why.
	skip func(path, why string)
}

func (s *savedFiles) walk(root string) error {
	start := root
	info, err := os.Stat(root)
	if err != nil {
		return &fs.PathError{Op: "open", Path: root, Err: reason(err)}
	}
	if info.IsDir() {
		start += string(filepath.Separator) // follows a link
	}
	return filepath.WalkDir(start, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file := savedFile{path: filepath.Clean(path), inside: filepath.ToSlash(inside)}
		info, err := os.Stat(file.path) // of what a link names
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			err = errors.New("not a regular file")
		default:
			file.modified = info.ModTime()
			file.data, err = plain.ReadFile(file.path, s.bounds.File)
		}
		if err != nil {
			s.skip(file.path, fmt.Sprintf("They cannot be read: %s.", oneSentence(reason(err))))
			return nil
		}
		archive := &plain.Archive{Bounds: s.bounds}
		s.unpack(file, archive, 1)
		return archive.Err()
	})
}

// unpack visits the file, or the files in it.
func (s *savedFiles) unpack(f savedFile, archive *plain.Archive, depth int) {
	const magic = 257
	var err error
	switch {
	case bytes.HasPrefix(f.data, []byte("PK\x03\x04")):
		err = s.unzip(f, archive, depth)
	case len(f.data) >= magic+5 && string(f.data[magic:magic+5]) == "ustar":
		err = s.untar(f, archive, depth)
	default:
		s.visit(f)
	}
	if err != nil {
		s.skip(f.path, fmt.Sprintf("They cannot be unpacked to the end: %s.", oneSentence(err)))
	}
}

// member visits a member of an archive. One that cannot be read does not hide those after it.
func (s *savedFiles) member(f savedFile, in io.Reader, archive *plain.Archive, depth int) {
	var err error
	if f.data, err = archive.Read(f.path, in, depth); err != nil {
		s.skip(f.path, fmt.Sprintf("They cannot be unpacked: %s.", oneSentence(err)))
		return
	}
	s.unpack(f, archive, depth+1)
}

// inner returns a member of the archive, without its content. A stranger chose its name.
func (f savedFile) inner(name string, modified time.Time) savedFile {
	return savedFile{path: f.path + ":" + table.Escape(name), inside: path.Join(path.Dir(f.inside), name), modified: modified}
}

func (s *savedFiles) untar(f savedFile, archive *plain.Archive, depth int) error {
	members := tar.NewReader(bytes.NewReader(f.data))
	for archive.Err() == nil {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag == tar.TypeReg {
			s.member(f.inner(header.Name, header.ModTime), members, archive, depth)
		}
	}
	return nil
}

func (s *savedFiles) unzip(f savedFile, archive *plain.Archive, depth int) error {
	members, err := zip.NewReader(bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		return err
	}
	for _, file := range members.File {
		if archive.Err() != nil {
			break
		}
		if !file.Mode().IsRegular() {
			continue
		}
		inner := f.inner(file.Name, file.Modified)
		in, err := file.Open()
		if err != nil {
			s.skip(inner.path, fmt.Sprintf("They cannot be unpacked: %s.", oneSentence(err)))
			continue
		}
		s.member(inner, in, archive, depth)
		_ = in.Close() // it was read
	}
	return nil //nolint:nilerr // the archive keeps its error
}

// manifestPattern finds objects of the API group in YAML and JSON.
var manifestPattern = regexp.MustCompile(`apiVersion["']?\s*:\s*["']?flowcontrol\.apiserver\.k8s\.io/`)

// isManifest reports whether a text has objects of the group. Rules of RBAC, which only
// name the group, are none.
func isManifest(data []byte) bool {
	return bytes.Contains(data, []byte("flowcontrol.apiserver.k8s.io/")) && manifestPattern.Match(data)
}

// body returns the response in a file that an HTTP collector of troubleshoot.sh wrote,
// and any other text as it is.
func (f savedFile) body() []byte {
	if !isJSON(f.data) {
		return f.data
	}
	var collected struct {
		Response struct {
			Body string `json:"body"`
		} `json:"response"`
	}
	if json.Unmarshal(f.data, &collected) == nil && collected.Response.Body != "" {
		return []byte(collected.Response.Body)
	}
	return f.data
}

// recognize returns the endpoint that gave the response. If nothing waits or was rejected,
// a response has no rows, and only the name tells which it is.
func (f savedFile) recognize() (replica.Endpoint, bool) {
	if endpoint, ok := replica.Recognize(f.data); ok {
		return endpoint, true
	}
	if string(bytes.TrimSpace(f.data)) != "[]" {
		return "", false
	}
	name, _, _ := strings.Cut(path.Base(f.inside), ".")
	for _, endpoint := range replica.Endpoints() {
		if last := path.Base(string(endpoint)); name == last || "dump_"+name == last {
			return endpoint, true
		}
	}
	return "", false
}

// versionOf returns the version of an API server in a saved response of /version, in the
// output of kubectl version, or in a support bundle.
func versionOf(data []byte) (version.Info, bool) {
	if len(data) > 1<<14 || !bytes.Contains(data, []byte("gitVersion")) {
		return version.Info{}, false
	}
	converted, _, err := toJSON(data)
	if err != nil {
		return version.Info{}, false
	}
	var forms struct {
		version.Info
		Server version.Info `json:"serverVersion"`
		Bundle version.Info `json:"info"`
	}
	if err := json.Unmarshal(converted, &forms); err != nil {
		return version.Info{}, false
	}
	for _, info := range []version.Info{forms.Info, forms.Server, forms.Bundle} {
		if info.GitVersion != "" {
			return info, true
		}
	}
	return version.Info{}, false
}

// whyNot says why a file has nothing to answer from.
func (f savedFile) whyNot() string {
	var status struct {
		Kind, Message string
		Error         struct{ Message string } // of an HTTP collector of troubleshoot.sh
	}
	switch {
	case len(bytes.TrimSpace(f.data)) == 0:
		return "They are empty."
	case isJSON(f.data) && json.Unmarshal(f.data, &status) == nil && status.Kind == "Status":
		return fmt.Sprintf("The server answered with an error: %s.", strings.TrimSuffix(status.Message, "."))
	case isJSON(f.data) && status.Error.Message != "":
		return fmt.Sprintf("The server could not be asked: %s.", strings.TrimSuffix(status.Error.Message, "."))
	case replica.HasMetrics(f.data):
		return "These metrics have no priority level, so no API server with flow control wrote them."
	default:
		return "They have no flow schema, no priority level and no response about flow control."
	}
}

// leftOut are the files that are not used, by the reason.
type leftOut map[string][]string

func (l leftOut) add(path, why string) { l[why] = append(l[why], path) }

// notes returns a sentence for each reason, and the files that it applies to.
func (l leftOut) notes() []string {
	const named = 10
	var notes []string
	for why, paths := range l {
		slices.Sort(paths)
		names := strings.Join(paths[:min(len(paths), named)], ", ")
		if more := len(paths) - named; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		if len(paths) == 1 {
			why = strings.NewReplacer("They are copies of other files", "It is a copy of another file", "They are ", "It is ", "They have ", "It has ", "They cannot ", "It cannot ").Replace(why)
		}
		notes = append(notes, fmt.Sprintf("Left out: %s. %s", names, why))
	}
	slices.Sort(notes)
	return notes
}
