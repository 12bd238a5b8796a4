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
		table.Tenths(2.25): "2.2", table.OrDash(""): "-", table.OrDash("x"): "x", table.Known(nil): "-", table.Known(&three): "3",
	} {
		assert.Equal(t, want, got)
	}
}

func TestSection(t *testing.T) {
	s := table.Section{Title: "FLOWS", Empty: "none", Most: 1, Table: table.Table{Columns: table.Texts("NAME"), Rows: [][]string{{"a"}, {"b"}}}}
	var out bytes.Buffer
	require.NoError(t, s.Write(&out, table.Options{}))
	assert.Equal(t, "FLOWS\nNAME\na\n1 more; wide output shows them.\n", out.String())
	out.Reset()
	s.Table.Rows = [][]string{{"a"}, {"b"}}
	require.NoError(t, s.Write(&out, table.Options{Wide: true}))
	assert.Equal(t, "FLOWS\nNAME\na\nb\n", out.String())
	out.Reset()
	s.Table.Rows = nil
	require.NoError(t, s.Write(&out, table.Options{}))
	assert.Equal(t, "FLOWS\nnone\n", out.String())
}
