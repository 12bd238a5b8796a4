package table_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

func TestNumbersAndUnits(t *testing.T) {
	three := 3
	for got, want := range map[string]string{
		table.Count(1, "seat"): "1 seat", table.Count(int64(0), "object"): "0 objects", table.Count(1234567, "byte"): "1,234,567 bytes",
		table.Grouped(-1000): "-1,000", table.Grouped(-100): "-100", table.Grouped(999): "999",
		table.Seconds(0): "0", table.Seconds(0.000_02): "20µs", table.Seconds(0.0123): "12.3ms", table.Seconds(61.5): "61.5s",
		table.Tenths(new(2.25)): "2.2", table.Tenths(nil): "-", table.OrDash(""): "-", table.OrDash("x"): "x", table.Known(nil): "-", table.Known(&three): "3",
	} {
		assert.Equal(t, want, got)
	}
}

func TestSections(t *testing.T) {
	section := func(title string, rows ...[]string) table.Section {
		s := table.Section{Title: title, Table: table.New("NAME"), Most: 1}
		s.Table.Rows = rows
		return s
	}
	two, none := section("TWO", []string{"a"}, []string{"b"}), section("NONE")
	none.Empty = "none"
	for wide, want := range map[bool]string{false: "NONE\nnone\n\nTWO\nNAME\na\n1 more; wide output shows them.\n", true: "NONE\nnone\n\nTWO\nNAME\na\nb\n"} {
		var out bytes.Buffer
		require.NoError(t, table.WriteSections(&out, table.Options{Wide: wide}, section("ABSENT"), none, two))
		assert.Equal(t, want, out.String())
	}
}
