// Package eventually waits in tests for what another process, or another
// goroutine, does in its own time.
//
// It is the one way to wait. Assertions are written as everywhere else, on the
// attempt instead of the test:
//
//	eventually.Holds(t, "the schema is served", func(a *eventually.Attempt) {
//		schema, err := client.Get(a.Context(), name, metav1.GetOptions{})
//		require.NoError(a, err)
//		require.Empty(a, schema.Status.Conditions)
//	})
//
// An assertion that fails ends the attempt, not the test, and the attempt is
// made again until all assertions hold or Grace is over. Then the test fails
// with the assertions of the last attempt that was not cut off. A test's own t
// inside of an attempt would end the test at once; test/repo forbids it.
//
// Grace is generous, and there is one for all: it is how long a slow machine may
// take, not how long something is promised to take. A promised limit is measured
// in virtual time.
package eventually
