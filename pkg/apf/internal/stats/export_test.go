package stats

import "reflect"

// FullSeriesBytes returns the size of a Series that has used all its shards. The
// allocator adds up to an eighth.
func FullSeriesBytes() int {
	return int(reflect.TypeFor[Series]().Size() + MaxShards*reflect.TypeFor[shard]().Size()*9/8)
}
