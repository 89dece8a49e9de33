package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// The manifest is a batch/v1 Job by the field names and rules of the
// Kubernetes API reference: an Indexed job needs completions, a Job's pods
// never restart as Always, every mount has a volume, and names are labels.
func TestIndexedJob(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	stdout, stderr, status := berth(t, dir, "sweep", "submit", "s.toml", "--engine", "k8s", "--shards", "3", "--dry-run")
	if status != 0 {
		t.Fatal(stderr)
	}
	type named struct {
		Name      string `json:"name"`
		HostPath  any    `json:"hostPath"`
		MountPath string `json:"mountPath"`
		ReadOnly  bool   `json:"readOnly"`
	}
	var job struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   named  `json:"metadata"`
		Spec       struct {
			CompletionMode string `json:"completionMode"`
			Completions    int32  `json:"completions"`
			Parallelism    int32  `json:"parallelism"`
			BackoffLimit   int32  `json:"backoffLimit"`
			Template       struct {
				Spec struct {
					RestartPolicy string  `json:"restartPolicy"`
					Volumes       []named `json:"volumes"`
					Containers    []struct {
						Name, Image  string
						Command      []string
						Resources    struct{ Requests map[string]string }
						VolumeMounts []named
					} `json:"containers"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Metadata.Name != "berth-small" ||
		job.Spec.CompletionMode != "Indexed" || job.Spec.Completions != 3 || pod.RestartPolicy != "Never" || len(pod.Containers) != 1 {
		t.Errorf("%+v", job)
	}
	for i, m := range pod.Containers[0].VolumeMounts {
		if m.Name != pod.Volumes[i].Name {
			t.Errorf("mount %q has no volume", m.Name)
		}
	}
	if run := pod.Containers[0].Command[2]; !strings.Contains(run, `--shard "$((JOB_COMPLETION_INDEX + 1))/3"`) {
		t.Error(run)
	}
}
