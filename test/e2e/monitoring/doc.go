// Package monitoring tests artifacts/monitoring, in the long lane: promtool checks and tests
// the rules; a real Prometheus evaluates them each second, with shortened durations, while
// each fault is produced on real servers; and every query of the dashboard is evaluated.
//
// FlowControlTotalTooSmall is tested by promtool alone: the recommended total rises only on a
// machine with free processors, which a test cannot rely on.
// So are FlowControlEtcdFull, FlowControlSnapshotsFail and FlowControlCertificateRenewalFails:
// package maintenance and package renewal produce their faults and read their metrics.
package monitoring
