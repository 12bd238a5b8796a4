package filter

import "context"

// listContext is the context of a list for its storage.
type listContext struct {
	context.Context
	list    *measuredList // nil unless its reads are counted
	seating *Seating      // nil if that is known to an outer context, or there is none
}

// readKey is the key of the list in a listContext.
type readKey struct{}

// Value implements context.Context.
func (c listContext) Value(key any) any {
	switch {
	case key == (readKey{}) && c.list != nil:
		return c.list
	case key == (seatingKey{}) && c.seating != nil:
		return c.seating
	default:
		return c.Context.Value(key)
	}
}

// CountRead counts the bytes of one stored object that was read for the request of ctx,
// if that is a list whose cost is learned. A transformer of the storage can call it: see
// Options.CountsReads.
func CountRead(ctx context.Context, bytes int) {
	if list, ok := ctx.Value(readKey{}).(*measuredList); ok {
		list.raise(list.read.Add(int64(bytes)))
	}
}
