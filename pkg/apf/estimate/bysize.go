package estimate

const (
	// MaxListBySize is the largest estimate in seats of a list that costs bytes.
	MaxListBySize = 100

	bytesPerSeat = 100_000
	// maxCachedBytes is the most memory that a list from the watch cache uses if it is
	// encoded object by object.
	maxCachedBytes = 1_000_000
	// unknownSize is the size in bytes of an object whose size is not known: the
	// largest that etcd takes.
	unknownSize = 1_500_000
	// staleObjects is the number of objects if the number is stale.
	staleObjects = 1_000_000_000
)

// bySize computes the cost by the bytes that are in memory at one time.
func (c *Cost) bySize(r Read, whole bool, stored Stored) {
	if stored.Stale {
		stored.Objects, stored.Size = staleObjects, unknownSize
	}
	// Far above the largest estimate, and no product overflows.
	n := min(max(stored.Objects, 0), 1<<32)
	size := min(stored.Size, 1<<30)
	if size <= 0 && n > 0 {
		size = unknownSize
	}
	page := n
	if r.Limit > 0 {
		page = min(r.Limit, n)
	}
	switch {
	case r.Named:
		c.Objects = 1
	case !c.Cached && r.Selects:
		c.Objects = max(page, n/2)
	default:
		c.Objects = page
	}
	c.Bytes = c.Objects * max(size, 0)
	if c.Cached && !whole {
		c.Bytes = min(c.Bytes, maxCachedBytes)
	}
	c.Unbounded = ceil(c.Bytes, bytesPerSeat)
}
