package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// probeInterval replaces the periods of a pod's probes, so that tests take less
	// time.
	probeInterval = 100 * time.Millisecond
	// restartDelay replaces kubelet's delay before it restarts a container.
	restartDelay = 200 * time.Millisecond
)

// Pod is a pod that runs as a process.
type Pod struct {
	node    *Node
	spec    *corev1.Pod // as first seen; its specification does not change
	ip      string      // as the cluster sees it
	local   string      // as this machine sees it
	dir     string
	bound   bool // to the node
	volumes volumes
	probes  *probes

	mu       sync.Mutex // guards the fields below
	process  *harness.Process
	ready    bool
	restarts int32
}

// newPod assigns the pod's addresses: 10.244.0.n in the cluster, and n in the
// node's part of the loopback.
func newPod(n *Node, spec *corev1.Pod, number int) *Pod {
	p := &Pod{
		node:  n,
		spec:  spec,
		ip:    fmt.Sprintf("10.244.0.%d", number),
		local: fmt.Sprintf("%s.%d", n.loopback, number),
		dir:   filepath.Join(n.dir, fmt.Sprintf("%03d", number)),
	}
	p.volumes = volumes{node: n, dir: filepath.Join(p.dir, "volumes"), last: map[string]string{}, claims: map[string]types.UID{}}
	p.probes = newProbes(&spec.Spec.Containers[0], p.local)
	return p
}

// Name returns the name of the pod.
func (p *Pod) Name() string { return p.spec.Name }

// Address returns the local address of a port of the pod.
func (p *Pod) Address(port int) string { return fmt.Sprintf("%s:%d", p.local, port) }

// Process returns the running process, or the last one; nil before the first.
func (p *Pod) Process() *harness.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.process
}

// Ready reports whether the last readiness probe succeeded.
func (p *Pod) Ready() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready
}

// Restarts returns the number of restarts of the process.
func (p *Pod) Restarts() int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.restarts
}

// run runs the pod until it is deleted or ctx ends.
func (p *Pod) run(ctx context.Context) {
	defer p.end()
	ticker := time.NewTicker(probeInterval)
	defer ticker.Stop()
	for {
		if p.deleted() {
			p.shutDown(ctx)
			return
		}
		if err := p.step(ctx); err != nil && ctx.Err() == nil {
			p.report(ctx, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// step performs the next steps: bind, mount, start, probe, report.
func (p *Pod) step(ctx context.Context) error {
	if err := p.bind(ctx); err != nil {
		return err
	}
	if err := p.volumes.claim(ctx, p.spec); err != nil {
		return err
	}
	if err := p.volumes.sync(p.spec); err != nil && p.Process() == nil {
		return err
	}
	if err := p.launch(ctx); err != nil {
		return err
	}
	if p.Process() == nil {
		return nil
	}
	ready, alive := p.probes.ask(ctx)
	if !alive {
		_ = p.Process().Signal(syscall.SIGTERM) // launch restarts it
	}
	p.mu.Lock()
	p.ready = ready
	p.mu.Unlock()
	p.report(ctx, nil)
	return nil
}

// bind binds the pod, as the scheduler does. The pod may be bound already, if
// kube-apiserver stopped before it answered an earlier request.
func (p *Pod) bind(ctx context.Context) error {
	if p.bound {
		return nil
	}
	err := p.node.bind(ctx, p.spec)
	p.bound = err == nil || apierrors.IsConflict(err)
	if p.bound {
		return nil
	}
	return err
}

// launch starts the process if it does not run.
func (p *Pod) launch(ctx context.Context) error {
	last := p.Process()
	if last != nil {
		select {
		case <-last.Done():
		default:
			return nil
		}
		if p.node.holds(p) {
			return nil
		}
		select {
		case <-time.After(restartDelay):
		case <-ctx.Done():
			return nil
		}
	}
	command, err := p.command(ctx)
	if err != nil {
		return err
	}
	process, err := harness.TryStartProcess(p.node.owner, command)
	if err != nil {
		return err
	}
	p.node.cluster.Network.setPod(p.ip, p.local)
	p.probes.restart()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = process
	if last != nil {
		p.restarts++
	}
	return nil
}

// deleted reports whether the pod was deleted or is being deleted.
func (p *Pod) deleted() bool {
	now, err := p.node.lister.Pods(p.spec.Namespace).Get(p.spec.Name)
	if apierrors.IsNotFound(err) {
		return true
	}
	return err == nil && (now.UID != p.spec.UID || now.DeletionTimestamp != nil)
}

// shutDown stops the process within the pod's grace period, keeps probing, and
// then deletes the pod.
func (p *Pod) shutDown(ctx context.Context) {
	if process := p.Process(); process != nil {
		_ = process.Signal(syscall.SIGTERM)
		period := 30 * time.Second
		if seconds := p.spec.Spec.TerminationGracePeriodSeconds; seconds != nil {
			period = time.Duration(*seconds) * time.Second
		}
		p.probeUntilEnd(ctx, process, time.After(period))
	}
	options := metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(p.spec.UID))}
	_ = p.node.cluster.Client.CoreV1().Pods(p.spec.Namespace).Delete(ctx, p.spec.Name, options)
}

func (p *Pod) probeUntilEnd(ctx context.Context, process *harness.Process, patience <-chan time.Time) {
	ticker := time.NewTicker(probeInterval)
	defer ticker.Stop()
	for {
		select {
		case <-process.Done():
			return
		case <-ctx.Done():
			return
		case <-patience:
			_ = process.Signal(syscall.SIGKILL)
			<-process.Done()
			return
		case <-ticker.C:
			ready, _ := p.probes.ask(ctx)
			p.mu.Lock()
			p.ready = ready
			p.mu.Unlock()
			p.report(ctx, nil)
		}
	}
}

// end kills the process, if it still runs. The cluster ends at this point, so no
// client needs a graceful stop.
func (p *Pod) end() {
	p.node.cluster.Network.setPod(p.ip, "")
	if process := p.Process(); process != nil {
		_ = process.Signal(syscall.SIGKILL)
		<-process.Done()
	}
}

// report writes the pod's status; with an error the pod stays pending.
func (p *Pod) report(ctx context.Context, trouble error) {
	patch, err := json.Marshal(map[string]any{"status": p.status(trouble)})
	if err != nil {
		return
	}
	if string(patch) == p.probes.reported {
		return
	}
	if _, err := p.node.cluster.Client.CoreV1().Pods(p.spec.Namespace).Patch(ctx, p.spec.Name,
		types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err == nil {
		p.probes.reported = string(patch)
	}
}

func (p *Pod) status(trouble error) corev1.PodStatus {
	container := corev1.ContainerStatus{Name: p.spec.Spec.Containers[0].Name, Image: p.spec.Spec.Containers[0].Image}
	if trouble != nil {
		container.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating", Message: trouble.Error()}
		return corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{container}}
	}
	ready := corev1.ConditionFalse
	if p.Ready() {
		ready = corev1.ConditionTrue
	}
	container.Ready = p.Ready()
	container.RestartCount = p.Restarts()
	container.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.Process().Started)}
	return corev1.PodStatus{
		Phase: corev1.PodRunning,
		PodIP: p.ip, PodIPs: []corev1.PodIP{{IP: p.ip}},
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: ready},
			{Type: corev1.ContainersReady, Status: ready},
		},
		ContainerStatuses: []corev1.ContainerStatus{container},
	}
}
