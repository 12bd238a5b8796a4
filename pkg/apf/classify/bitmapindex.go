package classify

import "slices"

// bitmapIndex is the index of the rows that have too many tuples for the table, see the package
// comment: the rows of base that are not gone, and recent rows.
type bitmapIndex struct {
	base   *bitmaps
	gone   rowSet
	recent []*row // in matching order
	memo   memo
}

// maxRecent is the number of rows that are compared one after the other, until the sets of
// all rows are built again. That takes as long as some hundred changes (BenchmarkUpdate).
const maxRecent = 128

// canMatch reports whether for each list some row covers the value. If not, no row
// matches.
func (x *bitmapIndex) canMatch(v values, strict uint) bool {
	return len(x.recent) > 0 || x.base.canMatch(v, strict)
}

// lookup returns the lowest rank, below best, of a row that matches the subject and the values; or
// best. strict has the meaning it has for sets, and must be a function of the values: the memo does
// not hold it.
func (x *bitmapIndex) lookup(subject uint32, v values, strict uint, ranks []uint32, best uint32) uint32 {
	if x.least(subject, ranks) >= best {
		return best
	}
	key := newMemoKey(subject, v)
	schema, known := x.memo.get(key)
	if !known {
		schema = x.first(subject, v, strict, ranks)
		x.memo.put(key, schema)
	}
	if schema == noSchema {
		return best
	}
	return min(best, ranks[schema])
}

// least returns a rank that no row of the subject is below.
func (x *bitmapIndex) least(subject uint32, ranks []uint32) uint32 {
	least := noSchema
	if len(x.recent) > 0 {
		least = ranks[x.recent[0].schema]
	}
	rows := x.base.set(x.base.subjects, subject)
	if len(rows.words) == 0 {
		return least
	}
	number := x.gone.next(rows.words[0] * 64)
	if int(number) >= len(x.base.schemas) {
		return least
	}
	return min(least, ranks[x.base.schemas[number]])
}

// first returns the schema of the first row that matches, or noSchema.
func (x *bitmapIndex) first(subject uint32, v values, strict uint, ranks []uint32) uint32 {
	schema := x.base.walk(subject, v, strict, x.gone)
	i := slices.IndexFunc(x.recent, func(r *row) bool { return r.matches(subject, v, strict) })
	if i < 0 || schema != noSchema && ranks[schema] <= ranks[x.recent[i].schema] {
		return schema
	}
	return x.recent[i].schema
}

// matches reports whether the row matches the subject and the values. strict has the meaning it has
// for bitmaps.sets.
func (r *row) matches(subject uint32, v values, strict uint) bool {
	if !slices.Contains(r.subjects, subject) {
		return false
	}
	for i, list := range [4][]uint32{r.verbs, r.groups, r.resources, r.namespaces} {
		if !slices.Contains(list, v[i]) && (strict&(1<<i) != 0 || !slices.Contains(list, wildcard)) {
			return false
		}
	}
	return true
}
