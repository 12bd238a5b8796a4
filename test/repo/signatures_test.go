package repo

import (
	"encoding/json"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	aliases := map[string]bool{} // internal types that have one
	signatures := map[string]string{}
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			declared := p.Scope().Lookup(name)
			if !declared.Exported() {
				continue
			}
			if _, isAlias := declared.Type().(*types.Alias); isAlias {
				aliases[types.TypeString(types.Unalias(declared.Type()), nil)] = true
			}
			for member, text := range signaturesOf(declared) {
				signatures[p.Path()+"."+name+member] = text
			}
		}
	}
	internal := regexp.MustCompile(regexp.QuoteMeta(module) + `/[\w/]*\binternal/[\w/]+\.\w+`)
	for member, text := range signatures {
		for _, name := range internal.FindAllString(text, -1) {
			if !aliases[name] {
				found = append(found, member+" has the type "+name)
			}
		}
	}
	return found
}

// signaturesOf returns the types in a declaration and in its exported methods and fields, as text.
func signaturesOf(declared types.Object) map[string]string {
	t := types.Unalias(declared.Type())
	named, ok := t.(*types.Named)
	if _, declaresType := declared.(*types.TypeName); !declaresType || !ok {
		return map[string]string{"": types.TypeString(t, nil)}
	}
	texts := map[string]string{}
	for method := range named.Methods() {
		if method.Exported() {
			texts["."+method.Name()] = types.TypeString(method.Type(), nil)
		}
	}
	structure, ok := named.Underlying().(*types.Struct)
	if !ok {
		texts[""] = types.TypeString(named.Underlying(), nil)
		return texts
	}
	for field := range structure.Fields() {
		if field.Exported() || field.Embedded() {
			texts["."+field.Name()] = types.TypeString(field.Type(), nil)
		}
	}
	return texts
}
