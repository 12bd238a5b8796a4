package debugendpoints

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// row is one row of a response. In JSON it is an object.
type row interface {
	// columns returns the cells of the text format.
	columns() []string
}

// respond writes the rows in the format that the client prefers.
func respond(w http.ResponseWriter, r *http.Request, headers []string, rows []row) {
	w.Header().Set("Vary", "Accept")
	if prefersJSON(r.Header.Values("Accept")) {
		if rows == nil {
			rows = []row{}
		}
		body, err := json.Marshal(rows)
		if err != nil {
			// Virtual time is a float64, which JSON cannot represent if it is NaN.
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		// An error means that the client has disconnected.
		_, _ = w.Write(append(body, '\n'))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = writeText(w, headers, rows)
}

func writeText(w io.Writer, headers []string, rows []row) error {
	table := tabwriter.NewWriter(w, 8, 0, 1, ' ', 0)
	if err := writeLine(table, headers); err != nil {
		return err
	}
	for _, r := range rows {
		if err := writeLine(table, r.columns()); err != nil {
			return err
		}
	}
	return table.Flush()
}

func writeLine(w io.Writer, cells []string) error {
	for i := range cells {
		cells[i] = printable(cells[i])
	}
	_, err := io.WriteString(w, strings.Join(cells, ",\t")+"\n")
	return err
}

// printable escapes a cell as in Go if it has control characters, which could end its
// row or column: clients choose the paths of their requests.
func printable(cell string) string {
	if utf8.ValidString(cell) && !strings.ContainsFunc(cell, unicode.IsControl) {
		return cell
	}
	quoted := strconv.Quote(cell)
	return quoted[1 : len(quoted)-1]
}

// prefersJSON reports whether the values of Accept give application/json a
// higher quality than text.
func prefersJSON(accept []string) bool {
	json, text := 0.0, 0.0
	for _, value := range accept {
		for part := range strings.SplitSeq(value, ",") {
			kind, parameters, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			quality := 1.0
			if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
				quality = q
			}
			switch kind {
			case "application/json":
				json = max(json, quality)
			case "text/plain", "text/*", "*/*":
				text = max(text, quality)
			}
		}
	}
	return json > text
}
