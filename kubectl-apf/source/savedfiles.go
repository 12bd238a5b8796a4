package source

import (
	"archive/tar"
	"archive/zip"
	"bufio"
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
	info, err := plain.Stat(root)
	if err != nil {
		return err
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
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("not a regular file")
		}
		if err != nil {
			s.leaveOut(file, err)
			return nil
		}
		in, err := os.Open(file.path)
		if err != nil {
			s.leaveOut(file, err)
			return nil
		}
		defer in.Close() //nolint:errcheck // only read
		file.modified = info.ModTime()
		tally := s.bounds.Archive(info.Size())
		var head [4]byte
		if _, err := in.ReadAt(head[:], 0); err == nil && isZip(head[:]) { // it need not be read whole
			err = s.unzip(file, in, info.Size(), tally, 0)
			if err != nil {
				s.leaveOut(file, err)
			}
		} else {
			s.open(file, in, tally, 0)
		}
		return tally.Err()
	})
}

// leaveOut tells why a file is left out.
func (s *savedFiles) leaveOut(f savedFile, err error) {
	s.skip(f.path, fmt.Sprintf("They cannot be read: %s.", oneSentence(reason(err))))
}

// open visits a file or, of an archive, the files in it. One that cannot be read to its end does not hide those
// before and after it.
func (s *savedFiles) open(f savedFile, in io.Reader, tally *plain.Tally, depth int) {
	if err := s.read(f, in, tally, depth); err != nil {
		s.leaveOut(f, err)
	}
}

const tarMagic, tarMagicAt = "ustar", 257

func (s *savedFiles) read(f savedFile, in io.Reader, tally *plain.Tally, depth int) error {
	if err := tally.Add(f.path, depth); err != nil {
		return err
	}
	text, err := plain.Text(in)
	if err != nil {
		return err
	}
	defer text.Close() //nolint:errcheck // releases memory
	content := bufio.NewReaderSize(tally.Count(text), 512)
	head, _ := content.Peek(tarMagicAt + len(tarMagic)) // reading returns the error again
	zipped := isZip(head)
	switch {
	case plain.IsCompressed(head):
		return s.read(f, content, tally, depth+1)
	case bytes.HasSuffix(head, []byte(tarMagic)):
		return s.untar(f, content, tally, depth)
	}
	if f.data, err = plain.Whole(content, tally.File); err != nil {
		return err
	}
	if zipped {
		return s.unzip(f, bytes.NewReader(f.data), int64(len(f.data)), tally, depth)
	}
	s.visit(f)
	return nil
}

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// inner returns a member of the archive, without its content. A stranger chose its name.
func (f savedFile) inner(name string, modified time.Time) savedFile {
	return savedFile{path: f.path + ":" + table.Escape(name), inside: path.Join(path.Dir(f.inside), name), modified: modified}
}

func (s *savedFiles) untar(f savedFile, in io.Reader, tally *plain.Tally, depth int) error {
	members := tar.NewReader(in)
	for tally.Err() == nil {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag == tar.TypeReg {
			s.open(f.inner(header.Name, header.ModTime), members, tally, depth+1)
		}
	}
	return nil
}

func (s *savedFiles) unzip(f savedFile, in io.ReaderAt, size int64, tally *plain.Tally, depth int) error {
	members, err := zip.NewReader(in, size)
	if err != nil {
		return err
	}
	for i := 0; i < len(members.File) && tally.Err() == nil; i++ {
		if file := members.File[i]; file.Mode().IsRegular() {
			s.unzipOne(f.inner(file.Name, file.Modified), file, tally, depth+1)
		}
	}
	return nil
}

func (s *savedFiles) unzipOne(inner savedFile, file *zip.File, tally *plain.Tally, depth int) {
	in, err := file.Open()
	if err != nil {
		s.leaveOut(inner, err)
		return
	}
	s.open(inner, in, tally, depth)
	_ = in.Close() // it was read
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
