// Command validate lets the validators of etcd's robustness tests judge the run in a folder. It is
// built in a module of its own, since they need all of etcd.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
	"go.etcd.io/etcd/tests/v3/robustness/model"
	"go.etcd.io/etcd/tests/v3/robustness/report"
	"go.etcd.io/etcd/tests/v3/robustness/validate"
	"go.uber.org/zap"
)

const timeout = 2 * time.Minute

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(folder string) error {
	reports, err := report.LoadClientReports(folder)
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Join(folder, "requests.json"))
	if err != nil {
		return err
	}
	var requests []model.EtcdRequest
	for decoder := json.NewDecoder(file); ; {
		var request model.EtcdRequest
		if err := decoder.Decode(&request); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		requests = append(requests, request)
	}
	log, err := zap.NewDevelopment()
	if err != nil {
		return err
	}
	begin := time.Now()
	result := validate.ValidateAndReturnVisualize(log, validate.Config{ExpectRevisionUnique: true}, reports, requests, timeout)
	fmt.Printf("%d operations, %d writes, %d connections of watchers, judged in %v: linearization %v, watch %v, serializable %v\n", len(reports[0].KeyValue),
		len(requests), len(reports[0].Watch), time.Since(begin).Round(time.Millisecond), result.Linearization.Status, result.Watch.Status, result.Serializable.Status)
	if err := result.Linearization.Error(); err != nil {
		show(result.Linearization, reports[0].KeyValue)
	}
	return result.Error()
}

// show prints the first operations that do not follow the longest linearizable prefix.
func show(result validate.LinearizationResult, all []porcupine.Operation) {
	var longest []porcupine.Operation
	for _, of := range result.Info.PartialLinearizationsOperations() {
		for _, linearization := range of {
			if len(linearization) > len(longest) {
				longest = linearization
			}
		}
	}
	fit := map[int]bool{}
	for _, operation := range longest {
		fit[operation.ClientId] = true
	}
	show := func(operation porcupine.Operation) {
		fmt.Println(operation.ClientId, operation.Call, operation.Return, result.Model.DescribeOperation(operation.Input, operation.Output))
	}
	fmt.Printf("%d operations fit, the last of them and what does not follow:\n", len(longest))
	for _, operation := range longest[max(0, len(longest)-5):] {
		show(operation)
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(operation porcupine.Operation) bool { return fit[operation.ClientId] })
	slices.SortFunc(rest, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	for _, operation := range rest[:min(len(rest), 10)] {
		show(operation)
	}
}
