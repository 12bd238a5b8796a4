package watchmodel_test

import (
	"fmt"
	"sync/atomic"
)

// figures counts what happened to the watchers.
type figures struct {
	events, bookmarks atomic.Int64
	cut               atomic.Int64 // connections cut by the test
	ended             atomic.Int64 // connections that the server ended
	expired           atomic.Int64 // versions that had expired
	compared          atomic.Int64 // states compared with a list of their version
}

func (f *figures) String() string {
	return fmt.Sprintf("%d events, %d bookmarks, %d connections cut, %d ended, %d versions gone, %d states compared",
		f.events.Load(), f.bookmarks.Load(), f.cut.Load(), f.ended.Load(), f.expired.Load(), f.compared.Load())
}
