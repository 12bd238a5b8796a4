package record

import (
	"bufio"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// inMemory is the number of items that are in memory at a time, and maxHeld the bytes of their texts.
const inMemory, maxHeld = 100_000, 64 << 20

// sorter sorts items in temporary files. Items that compare equal keep their order.
type sorter[T any] struct {
	compare func(a, b *T) int
	limit   int          // items in memory
	weigh   func(*T) int // the bytes of the texts of an item; nil if they do not count
	held    int
	chunk   []T
	runs    []*os.File
}

// add adds an item.
func (s *sorter[T]) add(item T) error {
	s.chunk = append(s.chunk, item)
	if s.weigh != nil {
		s.held += s.weigh(&item)
	}
	if len(s.chunk) < s.limit && s.held < maxHeld {
		return nil
	}
	s.held = 0
	return s.spill()
}

// spill writes the items in memory to a file, in their order.
func (s *sorter[T]) spill() error {
	slices.SortStableFunc(s.chunk, func(a, b T) int { return s.compare(&a, &b) })
	file, err := os.CreateTemp("", "kubectl-apf-record-*")
	if err != nil {
		return err
	}
	_ = os.Remove(file.Name()) // where that is possible while it is open, nothing is left of a program that was killed
	s.runs = append(s.runs, file)
	out := bufio.NewWriter(file)
	encoder := json.NewEncoder(out)
	for i := range s.chunk {
		if err := encoder.Encode(&s.chunk[i]); err != nil {
			return fmt.Errorf("writing a temporary file: %w", err)
		}
	}
	clear(s.chunk)
	s.chunk = s.chunk[:0]
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing a temporary file: %w", err)
	}
	return nil
}

// close removes the files.
func (s *sorter[T]) close() {
	for _, file := range s.runs {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	s.runs, s.chunk = nil, nil
}

// each yields the items in their order, until the caller returns an error. It may be
// called again.
func (s *sorter[T]) each(yield func(*T) error) error {
	slices.SortStableFunc(s.chunk, func(a, b T) int { return s.compare(&a, &b) })
	m := merging[T]{compare: s.compare}
	for i, file := range s.runs {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		decoder := json.NewDecoder(bufio.NewReader(file))
		if err := m.start(i, decoder.Decode); err != nil {
			return err
		}
	}
	rest := s.chunk
	fromMemory := func(into any) error {
		if len(rest) == 0 {
			return io.EOF
		}
		*into.(*T) = rest[0]
		rest = rest[1:]
		return nil
	}
	if err := m.start(len(s.runs), fromMemory); err != nil {
		return err
	}
	for len(m.heads) > 0 {
		head := m.heads[0]
		if err := yield(&head.item); err != nil {
			return err
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

// merging is the next items of several sorted runs, as a heap.
type merging[T any] struct {
	compare func(a, b *T) int
	heads   []*head[T]
}

type head[T any] struct {
	item T
	run  int
	next func(any) error
}

// start adds a run.
func (m *merging[T]) start(run int, next func(any) error) error {
	h := &head[T]{run: run, next: next}
	switch err := next(&h.item); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("reading a temporary file: %w", err)
	}
	heap.Push(m, h)
	return nil
}

// advance replaces the first head by the next item of its run.
func (m *merging[T]) advance() error {
	h := m.heads[0]
	var zero T
	h.item = zero
	switch err := h.next(&h.item); {
	case errors.Is(err, io.EOF):
		heap.Pop(m)
	case err != nil:
		return fmt.Errorf("reading a temporary file: %w", err)
	default:
		heap.Fix(m, 0)
	}
	return nil
}

func (m *merging[T]) Len() int { return len(m.heads) }
func (m *merging[T]) Less(i, j int) bool {
	if c := m.compare(&m.heads[i].item, &m.heads[j].item); c != 0 {
		return c < 0
	}
	return m.heads[i].run < m.heads[j].run
}
func (m *merging[T]) Swap(i, j int) { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *merging[T]) Push(x any)    { m.heads = append(m.heads, x.(*head[T])) }
func (m *merging[T]) Pop() any {
	last := len(m.heads) - 1
	x := m.heads[last]
	m.heads = m.heads[:last]
	return x
}
