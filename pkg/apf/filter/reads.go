package filter

import "context"

// readContext is the context of a list whose reads are counted.
type readContext struct {
	context.Context
	list *measuredList
}

// readKey is the key of the list in a readContext.
type readKey struct{}

// Value implements context.Context.
func (c readContext) Value(key any) any {
	if key == (readKey{}) {
		return c.list
	}
	return c.Context.Value(key)
}

// CountRead counts the bytes of one stored object that was read for the request of ctx,
// if that is a list whose cost is learned. A transformer of the storage can call it: see
// Options.CountsReads.
func CountRead(ctx context.Context, bytes int) {
	if list, ok := ctx.Value(readKey{}).(*measuredList); ok {
		list.raise(list.read.Add(int64(bytes)))
	}
}
