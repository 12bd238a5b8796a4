package classify

// manyRows is the least number of rows of a subject for an update to count their values.
const manyRows = 1024

// valueCounts are how many rows of one subject have a value, by the place of its list in a
// tuple. An update asks them whether a row may have a tuple, before it looks through many
// rows (BenchmarkUpdate, many rules each).
type valueCounts [3]map[uint32]int

// countValues counts the values of rows.
func countValues(rows []*row) *valueCounts {
	c := &valueCounts{{}, {}, {}}
	c.add(rows, 1)
	return c
}

// add counts the values of rows that were added, or with -1 removed. A nil valueCounts
// counts nothing.
func (c *valueCounts) add(rows []*row, by int) {
	if c == nil {
		return
	}
	for _, r := range rows {
		for i, list := range [3][]uint32{r.groups, r.resources, r.namespaces} {
			for _, value := range list {
				c.addValue(i, value, by)
			}
		}
	}
}

func (c *valueCounts) addValue(i int, value uint32, by int) {
	if c[i][value] += by; c[i][value] == 0 {
		delete(c[i], value)
	}
}

// mayHave reports whether some row may have the tuple.
func (c *valueCounts) mayHave(key *tuple) bool {
	return c == nil || c[0][key[1]] > 0 && c[1][key[2]] > 0 && c[2][key[3]] > 0
}

// countsOf returns the counts of a subject, nil if it has few rows.
func (k *kindRows) countsOf(subject uint32) *valueCounts {
	if k.counts[subject] == nil && len(k.subjects[subject]) >= manyRows {
		if k.counts == nil {
			k.counts = map[uint32]*valueCounts{}
		}
		k.counts[subject] = countValues(k.subjects[subject])
	}
	return k.counts[subject]
}
