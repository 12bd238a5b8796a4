package stats

import "reflect"

// FullSeriesBytes returns the size of a Series that has counted something. The
// allocator adds up to an eighth.
func FullSeriesBytes() int {
	return int(reflect.TypeFor[Series]().Size() + reflect.TypeFor[counts]().Size()*9/8)
}
