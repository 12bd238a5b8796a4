package harness

import "context"

// Program returns the path of a program, as in Program(t, binaries.Etcd).
func Program(t TB, build func(context.Context) (string, error)) string {
	t.Helper()
	path, err := build(t.Context())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return path
}
