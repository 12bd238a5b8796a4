package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// stdin is the file name of standard input.
const stdin = "-"

// fileReader reads the files of the options -f, -k and -R, as kubectl does. It reads
// them itself to know the place of each object and its unknown fields.
type fileReader struct {
	options resource.FilenameOptions
	bounds  plain.Bounds
	// stdin returns standard input, which can be read once.
	stdin func() ([]byte, error)
}

func newFileReader(options Options) *fileReader {
	return &fileReader{options.Files, options.Bounds, sync.OnceValues(func() ([]byte, error) { return plain.ReadAll(options.Stdin, options.Bounds.File) })}
}

// read returns the objects of all files.
func (r *fileReader) read() (Files, error) {
	var files Files
	decoder := newDecoder()
	for _, document := range r.documents(&files) {
		files.add(decoder, document)
	}
	if files.skipped > 0 {
		files.Notes = append(files.Notes, fmt.Sprintf("Skipped in directories: %s, neither a FlowSchema nor a PriorityLevelConfiguration.", table.Count(files.skipped, "document")))
	}
	if len(files.Objects) > 0 || len(r.options.Filenames) == 0 && r.options.Kustomize == "" {
		return files, nil
	}
	if err := files.Err(); err != nil {
		return files, err
	}
	return files, sentence("%s", strings.Join(append([]string{"The files contain no FlowSchema and no PriorityLevelConfiguration."}, files.Notes...), " "))
}

// add adds the objects of a document.
func (f *Files) add(decoder *decoder, document document) {
	objects, failed, continues := decoder.decodeAll(document.place, document.data)
	if continues != "" {
		if f.pages == nil {
			f.pages = map[string]bool{}
		}
		f.pages[continues] = true
		f.Notes = append(f.Notes, fmt.Sprintf("%s: this is a page of a list of %ss, which continues (metadata.continue): read it without a limit.", document.place, continues))
	}
	for _, err := range failed {
		other, isOther := errors.AsType[*otherKindError](err)
		switch {
		case isOther:
			f.addOther(err.Place, other, document.found)
		case document.found && !ours.Match(document.data):
			f.skipped++
		default:
			f.Errors = append(f.Errors, err)
		}
	}
	for _, object := range objects {
		f.Objects = append(f.Objects, object)
		f.Notes = append(f.Notes, object.notes()...)
	}
}

// addOther adds what is known of an object of another kind.
func (f *Files) addOther(place Place, other *otherKindError, found bool) {
	if len(other.nested) > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s: %s %s has objects of flow control in %s, which are not read: put them into separate manifests.",
			place, other.kind.Kind, other.name, strings.Join(other.nested, ", ")))
		return
	}
	switch other.kind.GroupKind() {
	case schema.GroupKind{Kind: "Namespace"}:
		f.Namespaces = append(f.Namespaces, other.name)
	case schema.GroupKind{Kind: "ServiceAccount"}:
		if f.ServiceAccounts == nil {
			f.ServiceAccounts = map[string][]string{}
		}
		f.ServiceAccounts[other.namespace] = append(f.ServiceAccounts[other.namespace], other.name)
	default:
		if found {
			f.skipped++
			return
		}
		f.Notes = append(f.Notes, fmt.Sprintf("%s is skipped: %s.", place, other))
	}
}

// notes returns what decoding changed or ignored.
func (o *Object) notes() []string {
	var notes []string
	for _, field := range o.UnknownFields {
		note := fmt.Sprintf("%s: %s has no field %s, which is ignored.", o.Place, o.APIVersion, field)
		if strings.HasSuffix(field, "."+oldShares) {
			note = fmt.Sprintf("%s: %s has no field %s, which is ignored: its name is nominalConcurrencyShares since v1beta3.", o.Place, o.APIVersion, field)
		}
		notes = append(notes, note)
	}
	for _, duplicate := range o.DuplicateFields {
		notes = append(notes, fmt.Sprintf("%s: %s; the last value counts.", o.Place, duplicate))
	}
	if o.IsNameGenerated {
		notes = append(notes, fmt.Sprintf("%s: The server generates the name; %s stands for it here.", o.Place, o.Name()))
	}
	if o.PriorityLevel != nil && o.PriorityLevel.Spec.Limited != nil && hasOldShares(o.APIVersion) {
		notes = append(notes, fmt.Sprintf("%s: %s of %s is converted to nominalConcurrencyShares.", o.Place, oldShares, o.APIVersion))
	}
	return notes
}

// oldShares is the name of nominalConcurrencyShares up to v1beta2.
const oldShares = "assuredConcurrencyShares"

func hasOldShares(apiVersion string) bool {
	return slices.Contains([]string{"v1alpha1", "v1beta1", "v1beta2"}, path.Base(apiVersion))
}

// documents returns the documents of all files, and adds the errors of the rest.
func (r *fileReader) documents(files *Files) []document {
	var documents []document
	tally := r.bounds.Files()
	take := func(name string, data []byte, err error, found bool) {
		if errors.Is(err, plain.ErrBound) {
			data = nil // the rest would be an error too
		}
		more, splitErr := split(name, data, r.bounds)
		for i := range more {
			more[i].found = found
		}
		documents = append(documents, more...)
		if splitErr == nil {
			splitErr = r.bounds.Count(len(documents))
		}
		switch {
		case errors.Is(splitErr, plain.ErrBound):
			tally.Stop(splitErr)
		case splitErr != nil && found && !ours.Match(data):
			files.skipped++
			splitErr = nil
		}
		if err = errors.Join(err, splitErr); err != nil {
			files.Errors = append(files.Errors, fileErrorOf(name, err))
		}
	}
	for _, name := range r.options.Filenames {
		if name == stdin {
			data, err := r.stdin()
			take(name, data, err, false)
			continue
		}
		paths, err := expand(name, r.options.Recursive)
		if err != nil {
			files.Errors = append(files.Errors, fileErrorOf(name, err))
		}
		for _, path := range paths {
			data, err := tally.ReadFile(path)
			take(path, data, err, path != name)
			if tally.Err() != nil {
				return documents
			}
		}
	}
	if r.options.Kustomize != "" {
		data, err := kustomize(r.options.Kustomize, r.bounds)
		take(r.options.Kustomize, data, err, false)
	}
	return documents
}

func fileErrorOf(name string, err error) FileError {
	if placed, ok := errors.AsType[FileError](err); ok {
		return placed
	}
	if absent, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		err = &fs.PathError{Op: "open", Path: absent.Path, Err: absent.Err} // whichever operation found out
		return FileError{Place: Place{Item: -1}, Err: err}
	}
	return FileError{Place: Place{File: name, Item: -1}, Err: reason(err)}
}

// reason returns the error of a file operation without the operation and the name, with which it begins.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// expand returns the files that a name stands for: a file, or the manifests in a directory.
func expand(root string, recursive bool) (paths []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && !recursive:
			return filepath.SkipDir
		case !entry.IsDir() && (path == root || slices.Contains(resource.FileExtensions, filepath.Ext(path))):
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// kustomize returns the manifests that a directory builds.
func kustomize(directory string, bounds plain.Bounds) ([]byte, error) {
	bounds.Members = min(bounds.Members, maxKustomized)
	files := &boundedFiles{filesys.MakeFsOnDisk(), bounds.Files()}
	manifests, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, directory)
	if bound := files.tally.Err(); bound != nil {
		return nil, bound
	}
	if err != nil {
		return nil, err
	}
	return manifests.AsYaml()
}

// maxKustomized is the number of files that kustomize reads. It reads one again for each directory that names it,
// and compares all objects with each other.
const maxKustomized = 2000

// boundedFiles are files that kustomize reads within bounds.
type boundedFiles struct {
	filesys.FileSystem
	tally *plain.Tally
}

// ReadFile implements filesys.FileSystem.
func (b *boundedFiles) ReadFile(name string) ([]byte, error) {
	data, err := b.tally.ReadFile(name)
	if err != nil {
		return nil, err
	}
	documents, err := splitYAML(name, data, b.tally.Bounds)
	for _, document := range documents {
		if err == nil {
			_, err = b.tally.Nodes(document.data)
		}
	}
	if errors.Is(err, plain.ErrBound) {
		b.tally.Stop(err)
		return nil, err
	}
	return data, nil // kustomize returns the errors of YAML
}
