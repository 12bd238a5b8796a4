package debugendpoints

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// respond writes the rows, which are structs, in the format that the client prefers. In JSON each is
// an object. In text each field is a column under its name, or under the name in its tag, unless that is "-".
func respond[R any](w http.ResponseWriter, r *http.Request, rows []R) {
	w.Header().Set("Vary", "Accept")
	if prefersJSON(r.Header.Values("Accept")) {
		if rows == nil {
			rows = []R{}
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
	_ = writeText(w, rows)
}

// warn adds a warning to the response, as the library's warnings for people.
func warn(w http.ResponseWriter, text string) {
	if header, err := utilnet.NewWarningHeader(299, "", text); err == nil { // the text is printable
		w.Header().Add("Warning", header)
	}
}

func writeText[R any](w io.Writer, rows []R) error {
	table := tabwriter.NewWriter(w, 8, 0, 1, ' ', 0)
	fields := slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[R]()), func(f reflect.StructField) bool {
		return f.Anonymous || f.Tag.Get("text") == "-"
	})
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i] = cmp.Or(f.Tag.Get("text"), f.Name)
	}
	if err := writeLine(table, cells); err != nil {
		return err
	}
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for j, f := range fields {
			cells[j] = printable(textOf(row.FieldByIndex(f.Index).Interface()))
		}
		if err := writeLine(table, cells); err != nil {
			return err
		}
	}
	return table.Flush()
}

// textOf returns a value as text.
func textOf(value any) string {
	switch value := value.(type) {
	case float64:
		return strconv.FormatFloat(value, 'f', 6, 64)
	case time.Time:
		return value.Format(time.RFC3339Nano)
	case *time.Time:
		if value == nil {
			value = &time.Time{}
		}
		return textOf(*value)
	default:
		return fmt.Sprint(value)
	}
}

func writeLine(w io.Writer, cells []string) error {
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
