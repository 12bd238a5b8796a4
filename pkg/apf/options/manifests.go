package options

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// manifests are the objects of files. As a configuration they are valid as a whole or not at
// all: what an author of a file meant cannot be known from a part of it.
type manifests struct {
	levels  []*flowcontrolv1.PriorityLevelConfiguration
	schemas []*flowcontrolv1.FlowSchema
	// from is the place of each object, by kind and name.
	from map[string]string
}

// parse returns the objects of files in YAML or JSON, by path. Errors name file and document.
func parse(paths []string, contents map[string][]byte) (*manifests, error) {
	m := &manifests{from: map[string]string{}}
	decoder := newDecoder()
	var errs []error
	for _, path := range paths {
		errs = append(errs, m.addFile(decoder, path, contents[path]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return m, m.check()
}

func (m *manifests) addFile(decoder runtime.Decoder, path string, content []byte) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for i := 1; ; i++ {
		document, err := documents.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case isEmpty(document):
			continue
		}
		place := fmt.Sprintf("%s, document %d", path, i)
		if err := m.addDocument(decoder, place, document); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
}

// isEmpty reports whether a document has comments only.
func isEmpty(document []byte) bool {
	for line := range strings.Lines(string(document)) {
		if line = strings.TrimSpace(line); line != "" && line != "---" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

func (m *manifests) addDocument(decoder runtime.Decoder, place string, document []byte) error {
	object, err := runtime.Decode(decoder, document)
	if err != nil {
		return err
	}
	if object, err = asV1(object); err != nil {
		return err
	}
	switch object := object.(type) {
	case *flowcontrolv1.FlowSchema:
		defaultSchema(object)
		m.schemas = append(m.schemas, object)
		return m.note("FlowSchema "+object.Name, place)
	case *flowcontrolv1.PriorityLevelConfiguration:
		defaultLevel(object)
		m.levels = append(m.levels, object)
		return m.note("PriorityLevelConfiguration "+object.Name, place)
	case *corev1.List:
		for i := range object.Items {
			if err := m.addDocument(decoder, fmt.Sprintf("%s, item %d", place, i+1), object.Items[i].Raw); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
		}
		return nil
	default:
		return fmt.Errorf("is a %T: must be a FlowSchema, a PriorityLevelConfiguration or a List", object)
	}
}

// note returns an error for the second object of a name.
func (m *manifests) note(object, place string) error {
	if first, twice := m.from[object]; twice {
		return fmt.Errorf("%s is there already, in %s: remove one of them", object, first)
	}
	m.from[object] = place
	return nil
}

// check returns an error if the objects make up no configuration.
func (m *manifests) check() error {
	if len(m.schemas)+len(m.levels) == 0 {
		return errors.New("has no FlowSchema and no PriorityLevelConfiguration")
	}
	var errs []error
	exists := map[string]bool{flowcontrolv1.PriorityLevelConfigurationNameExempt: true, flowcontrolv1.PriorityLevelConfigurationNameCatchAll: true}
	for _, level := range m.levels {
		exists[level.Name] = true
	}
	for _, schema := range m.schemas {
		if level := schema.Spec.PriorityLevelConfiguration.Name; !exists[level] {
			errs = append(errs, fmt.Errorf("%s: FlowSchema %s names the PriorityLevelConfiguration %q, which is not there: add it", m.from["FlowSchema "+schema.Name], schema.Name, level))
		}
	}
	if _, problems := configsync.NewTranslator().Translate(m.levels, m.schemas); len(problems) > 0 {
		errs = append(errs, engineProblems(problems))
	}
	return errors.Join(errs...)
}

// engineProblems is an error of all problems.
func engineProblems(problems []engine.Problem) error {
	errs := make([]error, 0, len(problems))
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("%s %s: %w", p.Kind, p.Name, p.Err))
	}
	return errors.Join(errs...)
}

// newDecoder returns a decoder of manifests that returns an error for unknown fields.
func newDecoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{flowcontrolv1.AddToScheme, flowcontrolv1beta3.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // of a kind that is there twice
		}
	}
	scheme.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.List{})
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// readPath returns the manifests at a path: a file, or the files of a folder, not of folders in it.
// Hidden files are left out: a mounted ConfigMap has its versions in hidden folders.
func readPath(path string) (paths []string, contents map[string][]byte, err error) {
	contents = map[string][]byte{}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		contents[path], err = os.ReadFile(path)
		return []string{path}, contents, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".yaml", ".yml", ".json":
		default:
			continue
		}
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		file := filepath.Join(path, entry.Name())
		if contents[file], err = os.ReadFile(file); err != nil {
			return nil, nil, err
		}
		paths = append(paths, file)
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("the directory %s has no file that ends in .yaml, .yml or .json", path)
	}
	return paths, contents, nil
}
