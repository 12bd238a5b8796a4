package queueset_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// reachable divides limit seats max-min fairly among clients with indivisible
// requests, whose threads send one request at a time. Seats may have to stay
// unused: while a request of width 4 executes under a limit of 7, the other
// three seats are used only if some request fits. The seats in use at one time
// are a packing: whole requests whose widths add up to at most the limit, or
// one request that is wider than the limit, alone. The average seats in use are
// a mixture of packings. Shares are max-min fair if no share can grow without
// reducing one that is not larger.
func reachable(clients []client, limit int) []float64 {
	classes := widths(clients)
	packings := packingsOf(classes, atOnce(clients, classes), limit)
	shares, fixed := make([]float64, len(clients)), make([]bool, len(clients))
	for left := len(clients); left > 0; {
		level := highest(float64(2*limit), func(level float64) bool {
			return possible(raised(clients, shares, fixed, level), clients, classes, packings)
		})
		shares = raised(clients, shares, fixed, level)
		for i, c := range clients {
			more := append([]float64(nil), shares...)
			more[i] += 1e-3 * float64(limit)
			if !fixed[i] && (shares[i] >= c.demand(c.threads) || !possible(more, clients, classes, packings)) {
				fixed[i] = true
				left--
			}
		}
	}
	return shares
}

// raised returns shares of level seats, or of a client's demand if that is
// less. Fixed shares do not change.
func raised(clients []client, shares []float64, fixed []bool, level float64) []float64 {
	out := make([]float64, len(clients))
	for i, c := range clients {
		out[i] = shares[i]
		if !fixed[i] {
			out[i] = max(shares[i], min(level, c.demand(c.threads)))
		}
	}
	return out
}

// highest returns the largest possible level up to most.
func highest(most float64, isPossible func(float64) bool) float64 {
	low := 0.0
	for range 24 {
		if middle := (low + most) / 2; isPossible(middle) {
			low = middle
		} else {
			most = middle
		}
	}
	return low
}

// widths returns the distinct widths.
func widths(clients []client) []int {
	var out []int
	seen := map[int]bool{}
	for _, c := range clients {
		if !seen[c.work.Initial] {
			seen[c.work.Initial] = true
			out = append(out, c.work.Initial)
		}
	}
	return out
}

// atOnce returns the most seats that the clients of each class can use at one
// time: a thread sends one request at a time.
func atOnce(clients []client, classes []int) []int {
	out := make([]int, len(classes))
	for _, c := range clients {
		out[slices.Index(classes, c.work.Initial)] += c.threads * c.work.Initial
	}
	return out
}

// packingsOf lists the packings, each as seats by class of width.
func packingsOf(classes, most []int, limit int) [][]float64 {
	out := [][]float64{make([]float64, len(classes))}
	for k, width := range classes {
		for _, p := range out {
			used := 0.0
			for _, seats := range p {
				used += seats
			}
			for n := width; n <= most[k] && int(used)+n <= limit; n += width {
				more := append([]float64(nil), p...)
				more[k] = float64(n)
				out = append(out, more)
			}
		}
	}
	for k, width := range classes {
		if width > limit {
			alone := make([]float64, len(classes))
			alone[k] = float64(width)
			out = append(out, alone)
		}
	}
	return out
}

// possible reports whether a mixture of packings gives every class the shares
// of its clients. It maximizes the multiple m of the shares where, for each
// class k, m * wanted[k] <= sum of mixture[p] * p[k], and the mixture adds up
// to at most 1.
func possible(shares []float64, clients []client, classes []int, packings [][]float64) bool {
	rows := make([][]float64, len(classes)+1)
	for k, width := range classes {
		rows[k] = make([]float64, 1+len(packings)+1)
		for i, c := range clients {
			if c.work.Initial == width {
				rows[k][0] += shares[i]
			}
		}
		for j, p := range packings {
			rows[k][1+j] = -p[k]
		}
	}
	last := make([]float64, 1+len(packings)+1)
	for j := range packings {
		last[1+j] = 1
	}
	last[len(last)-1] = 1
	rows[len(classes)] = last
	return maximum(rows) >= 1-1e-6
}

// maximum returns the largest value of the first of some non-negative
// variables. For each row, the sum of row[i] * variable[i] is at most the last
// element, which is not negative. It is Dantzig's simplex method with Bland's
// rule, which prevents cycles.
func maximum(rows [][]float64) float64 {
	variables := len(rows[0]) - 1
	table := make([][]float64, len(rows)+1)
	for i := range table {
		table[i] = make([]float64, variables+len(rows)+1)
		if i < len(rows) {
			copy(table[i], rows[i][:variables])
			table[i][variables+i] = 1
			table[i][len(table[i])-1] = rows[i][variables]
		}
	}
	gain := table[len(rows)]
	gain[0] = -1
	basis := make([]int, len(rows))
	for i := range basis {
		basis[i] = variables + i
	}
	for {
		entering := firstNegative(gain[:len(gain)-1])
		leaving := -1
		for i := range rows {
			if entering < 0 || table[i][entering] <= 1e-9 {
				continue
			}
			ratio := func(i int) float64 { return table[i][len(gain)-1] / table[i][entering] }
			if leaving < 0 || ratio(i) < ratio(leaving)-1e-12 || ratio(i) <= ratio(leaving)+1e-12 && basis[i] < basis[leaving] {
				leaving = i
			}
		}
		if leaving < 0 {
			return gain[len(gain)-1]
		}
		pivot(table, leaving, entering)
		basis[leaving] = entering
	}
}

func firstNegative(values []float64) int {
	for i, v := range values {
		if v < -1e-9 {
			return i
		}
	}
	return -1
}

// pivot makes the column a unit vector that is 1 in the given row.
func pivot(table [][]float64, row, column int) {
	by := table[row][column]
	for j := range table[row] {
		table[row][j] /= by
	}
	for i := range table {
		if factor := table[i][column]; i != row && factor != 0 {
			for j := range table[i] {
				table[i][j] -= factor * table[row][j]
			}
		}
	}
}

func TestReachableSharesAreThoseOfWholeRequests(t *testing.T) {
	busy := func(width int) client { return client{threads: 1000, exec: 1, work: wide(width)} }
	for name, c := range map[string]struct {
		limit    int
		clients  []client
		expected []float64
	}{
		"narrow requests fill every gap":                           {7, []client{busy(4), busy(1)}, []float64{3.5, 3.5}},
		"one seat stays empty beside widths of 2 and 4":            {5, []client{busy(4), busy(2)}, []float64{2, 2}},
		"a wide request that is alone leaves the rest empty":       {7, []client{busy(5)}, []float64{5}},
		"a request wider than the limit gives more than the limit": {3, []client{busy(4), busy(4)}, []float64{2, 2}},
		"and shares the time with others":                          {3, []client{busy(4), busy(1)}, []float64{12. / 7, 12. / 7}},
		"a thread cannot use the gaps that it leaves itself":       {4, []client{busy(3), {threads: 1, exec: 1, think: 3, work: wide(2)}}, []float64{2.25, 0.5}},
		"who wants little gets it":                                 {4, []client{busy(1), {threads: 1, exec: 1, think: 3, work: wide(2)}}, []float64{3.5, 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.InDeltaSlice(t, c.expected, reachable(c.clients, c.limit), 1e-3)
		})
	}
}
