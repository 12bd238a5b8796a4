package repo

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryPackageHasExactlyOnePackageComment(t *testing.T) {
	packages := map[string][]goFile{}
	for _, file := range goFiles(t) {
		// The files of _base belong to the package above, on another release of k8s.io.
		if !strings.HasPrefix(file.name, generatedFolder) && path.Base(file.folder) != "_base" {
			packages[file.folder] = append(packages[file.folder], file)
		}
	}
	require.NotEmpty(t, packages)
	for folder, files := range packages {
		for _, fault := range commentFaults(files) {
			t.Errorf("%s: %s", folder, fault)
		}
	}
}

// commentFaults returns the faults of a folder's package comments. The comment
// must not be in a test file, unless there are only tests.
func commentFaults(files []goFile) (faults []string) {
	name, onlyTests := "", true
	for _, file := range files {
		if !file.isTest() {
			name, onlyTests = file.syntax.Name.Name, false
		}
	}
	if onlyTests {
		name = files[0].syntax.Name.Name
	}
	begins := "Package " + name + " "
	if name == "main" {
		begins = "Command "
	}

	var with []string
	for _, file := range files {
		comment := file.syntax.Doc.Text()
		if file.generated || comment == "" {
			continue
		}
		with = append(with, file.name)
		if !strings.HasPrefix(comment, begins) {
			faults = append(faults, fmt.Sprintf("the package comment in %s must begin with %q", file.name, begins))
		}
		if file.isTest() && !onlyTests {
			faults = append(faults, fmt.Sprintf("the package comment in %s must move to a file that is no test", file.name))
		}
	}
	switch len(with) {
	case 0:
		faults = append(faults, fmt.Sprintf("no package comment; write one that begins with %q, best in doc.go", begins))
	case 1:
	default:
		faults = append(faults, fmt.Sprintf("package comments in %s; keep one", strings.Join(with, ", ")))
	}
	return faults
}

func TestPackageCommentFaults(t *testing.T) {
	file := func(name, pkg, comment string) goFile {
		syntax := &ast.File{Name: ast.NewIdent(pkg)}
		if comment != "" {
			syntax.Doc = &ast.CommentGroup{List: []*ast.Comment{{Text: "// " + comment}}}
		}
		return goFile{name: name, syntax: syntax}
	}
	for _, test := range []struct {
		name  string
		files []goFile
		fault string
	}{
		{"one comment among two files", []goFile{file("a.go", "a", "Package a is."), file("b.go", "a", "")}, ""},
		{"a command", []goFile{file("main.go", "main", "Command a does.")}, ""},
		{"a package of tests alone", []goFile{file("a_test.go", "a", "Package a tests.")}, ""},
		{"no comment", []goFile{file("a.go", "a", "")}, "no package comment"},
		{"two comments", []goFile{file("a.go", "a", "Package a is."), file("b.go", "a", "Package a is.")}, "keep one"},
		{"a comment that names another package", []goFile{file("a.go", "a", "Package b is.")}, "must begin with"},
		{"a comment in a test file", []goFile{file("a.go", "a", ""), file("a_test.go", "a", "Package a is.")}, "must move"},
	} {
		t.Run(test.name, func(t *testing.T) {
			faults := strings.Join(commentFaults(test.files), "; ")
			if test.fault == "" {
				assert.Empty(t, faults)
				return
			}
			assert.Contains(t, faults, test.fault)
		})
	}
}
