// Package eventually waits in tests for the asynchronous effects of another
// process or goroutine.
//
// Tests wait in no other way. Assertions take the attempt instead of the test:
//
//	eventually.Holds(t, "the schema is served", func(a *eventually.Attempt) {
//		schema, err := client.Get(a.Context(), name, metav1.GetOptions{})
//		require.NoError(a, err)
//		require.Empty(a, schema.Status.Conditions)
//	})
//
// A failed assertion ends the attempt, not the test. Attempts are repeated
// until all assertions hold or Grace is over. Then the test fails with the
// assertions of the last attempt that was not cut off. An assertion on the
// test's t within an attempt would end the test at once; test/repo forbids it.
//
// All waits share one generous Grace. It is a limit for slow machines, not a
// promised latency. A promised limit is measured in virtual time.
package eventually
