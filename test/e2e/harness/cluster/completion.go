package cluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// completed reports whether the process of a Job's pod has ended.
func (p *Pod) completed() bool {
	if p.spec.Spec.RestartPolicy != corev1.RestartPolicyNever || p.Process() == nil {
		return false
	}
	select {
	case <-p.Process().Done():
		return true
	default:
		return false
	}
}

// reportEnd writes how the process of a Job's pod ended.
func (p *Pod) reportEnd(ctx context.Context) {
	phase := corev1.PodSucceeded
	if code, err := p.Process().ExitCode(ctx); err != nil || code != 0 {
		phase = corev1.PodFailed
	}
	p.write(ctx, corev1.PodStatus{Phase: phase, PodIP: p.ip})
}
