package repo

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever adopts the engine can name every type that its exported functions, methods, fields and
// variables have: one of an internal package has an alias in a public one.
func TestAdoptersCanNameTheTypesOfTheEngine(t *testing.T) {
	files := exportData(t, filepath.Join(root(t), "pkg", "apf"))
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	var packages []*types.Package
	for _, path := range engineAPI(files) {
		p, err := imports.Import(path)
		require.NoError(t, err)
		packages = append(packages, p)
	}
	for _, fault := range unnameable(packages) {
		t.Errorf("%s: give the type an alias in a public package, or a name there", fault)
	}
}

// engineAPI returns the public packages of the engine.
func engineAPI(packages map[string]string) (paths []string) {
	engine := module + "/pkg/apf"
	for path := range packages {
		within := path == engine || strings.HasPrefix(path, engine+"/")
		if within && !isInternal(path) && !strings.HasPrefix(path, engine+"/test/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// exportData returns the files with what each package exports: packages of the folder's module and
// all that they import.
func exportData(t *testing.T, folder string) map[string]string {
	t.Helper()
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", "./...")
	command.Dir, command.Stderr = folder, os.Stderr
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	files := map[string]string{}
	for decoder := json.NewDecoder(output); ; {
		var one struct{ ImportPath, Export string }
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		files[one.ImportPath] = one.Export
	}
	require.NoError(t, command.Wait())
	return files
}

// unnameable returns the exported declarations of packages with an internal type that has no alias
// in any of them.
func unnameable(packages []*types.Package) (found []string) {
	s := signatures{aliases: map[*types.TypeName]bool{}}
	var declared []types.Object
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				declared = append(declared, o)
				s.noteAlias(o)
			}
		}
	}
	for _, o := range declared {
		s.object(fmt.Sprintf("%s.%s", o.Pkg().Path(), o.Name()), o)
	}
	return s.faults
}

// signatures finds internal types without an alias in declarations.
type signatures struct {
	aliases map[*types.TypeName]bool // internal types that have one
	member  string                   // that is looked at
	faults  []string
}

func (s *signatures) noteAlias(o types.Object) {
	if alias, ok := o.Type().(*types.Alias); ok {
		if named, ok := types.Unalias(alias).(*types.Named); ok {
			s.aliases[named.Obj()] = true
		}
	}
}

// object looks at a declaration: what it has and what its methods have.
func (s *signatures) object(name string, o types.Object) {
	s.member = name
	named, ok := types.Unalias(o.Type()).(*types.Named)
	if _, declaresType := o.(*types.TypeName); !declaresType || !ok {
		s.typ(o.Type())
		return
	}
	s.typ(named.Underlying())
	for method := range named.Methods() {
		if method.Exported() {
			s.member = name + "." + method.Name()
			s.typ(method.Type())
		}
	}
}

// typ looks at a type where it is used.
func (s *signatures) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		s.typ(types.Unalias(t))
	case *types.Named:
		s.name(t.Obj())
		for argument := range t.TypeArgs().Types() {
			s.typ(argument)
		}
	case *types.Map:
		s.typ(t.Key())
		s.typ(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		s.typ(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				s.typ(field.Type())
			}
		}
	case *types.Signature:
		s.tuple(t.Params())
		s.tuple(t.Results())
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			s.typ(method.Type())
		}
		for embedded := range t.EmbeddedTypes() {
			s.typ(embedded)
		}
	}
}

func (s *signatures) name(o *types.TypeName) {
	if o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), module+"/") && isInternal(o.Pkg().Path()) && !s.aliases[o] {
		s.faults = append(s.faults, fmt.Sprintf("%s has the type %s.%s", s.member, o.Pkg().Path(), o.Name()))
	}
}

func (s *signatures) tuple(variables *types.Tuple) {
	for variable := range variables.Variables() {
		s.typ(variable.Type())
	}
}
