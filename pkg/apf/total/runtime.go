package total

import "runtime/metrics"

// The metrics of package runtime/metrics, by index in a runtimeReader.
const (
	schedulingLatencies = iota
	memoryLimit
	memoryTotal
	heapReleased
	heapFree
	heapUnused
	heapObjects
	heapLive
)

// runtimeReader reads what the Go runtime measures.
type runtimeReader struct {
	source  func([]metrics.Sample)
	samples []metrics.Sample
}

func newRuntimeReader(source func([]metrics.Sample)) runtimeReader {
	return runtimeReader{source: source, samples: []metrics.Sample{
		schedulingLatencies: {Name: "/sched/latencies:seconds"},
		memoryLimit:         {Name: "/gc/gomemlimit:bytes"},
		memoryTotal:         {Name: "/memory/classes/total:bytes"},
		heapReleased:        {Name: "/memory/classes/heap/released:bytes"},
		heapFree:            {Name: "/memory/classes/heap/free:bytes"},
		heapUnused:          {Name: "/memory/classes/heap/unused:bytes"},
		heapObjects:         {Name: "/memory/classes/heap/objects:bytes"},
		heapLive:            {Name: "/gc/heap/live:bytes"},
	}}
}

func (r *runtimeReader) read() { r.source(r.samples) }

// latencies returns the histogram of scheduling latencies, nil if the runtime has none.
// The next read overwrites it.
func (r *runtimeReader) latencies() *metrics.Float64Histogram {
	if value := r.samples[schedulingLatencies].Value; value.Kind() == metrics.KindFloat64Histogram {
		return value.Float64Histogram()
	}
	return nil
}

// bytes returns one of the metrics in bytes, 0 if the runtime does not have it.
func (r *runtimeReader) bytes(index int) uint64 {
	if value := r.samples[index].Value; value.Kind() == metrics.KindUint64 {
		return value.Uint64()
	}
	return 0
}

// newGoMemory returns the memory of the runtime by its metrics in bytes.
func newGoMemory(bytes func(index int) uint64) goMemory {
	objects := bytes(heapObjects)
	garbage := objects - min(objects, bytes(heapLive))
	total := bytes(memoryTotal)
	reclaimable := bytes(heapReleased) + bytes(heapFree) + bytes(heapUnused) + garbage
	return goMemory{
		limit:   bytes(memoryLimit),
		pinned:  total - min(total, reclaimable),
		garbage: garbage + bytes(heapFree),
	}
}
