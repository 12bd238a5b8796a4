package filter

import "context"

// CountRead counts the bytes of one stored object that was read for the request of ctx,
// if that is a list whose cost is learned. A transformer of the storage can call it: see
// Options.CountsReads.
func CountRead(ctx context.Context, bytes int) {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok && e.list != nil && e.list.countsReads {
		e.list.raise(e.list.read.Add(int64(bytes)))
	}
}
