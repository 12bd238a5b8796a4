package record

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSorterUsesFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := sorter[item]{compare: byArrival, limit: 7}
	start := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	const n = 100
	for i := range n {
		one := item{}
		one.ID = fmt.Sprint(i)
		one.Arrival = start.Add(time.Duration(i*37%50) * time.Second)
		if i%2 == 0 {
			one.Groups = []string{one.ID}
		}
		require.NoError(t, s.add(one))
	}
	require.Len(t, s.runs, n/7)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is left if the program is killed")
	number := func(i *item) int {
		id, err := strconv.Atoi(i.ID)
		require.NoError(t, err)
		return id
	}
	for range 2 {
		var last item
		got := 0
		require.NoError(t, s.each(func(i *item) error {
			if got++; got > 1 {
				require.Negative(t, cmp.Or(byArrival(&last, i), cmp.Compare(number(&last), number(i))), "what arrives at one time keeps its order")
			}
			last = *i
			if number(i)%2 != 0 {
				assert.Empty(t, i.Groups, "they are of the item that was read before")
			}
			return nil
		}))
		assert.Equal(t, n, got)
	}
	enough := errors.New("enough")
	require.ErrorIs(t, s.each(func(*item) error { return enough }), enough)
	s.close()
}

// A stranger's log may have few and long requests.
func TestASorterBoundsTheTextsInMemory(t *testing.T) {
	s := sorter[item]{compare: byArrival, limit: inMemory, weigh: weightOf}
	defer s.close()
	long := item{}
	long.URI = strings.Repeat("a", maxHeld/8)
	for range 8 {
		require.NoError(t, s.add(long))
		assert.LessOrEqual(t, len(s.chunk), 4)
	}
	assert.Len(t, s.runs, 2)
}

func TestWhatASorterCannotWriteIsNotLost(t *testing.T) {
	s := sorter[any]{compare: func(_, _ *any) int { return 0 }, limit: 1}
	require.ErrorContains(t, s.add(make(chan int)), "writing a temporary file: json: unsupported type")
	s.close()
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	require.ErrorIs(t, s.add(1), os.ErrNotExist)
}
