package main

import (
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"
)

// indexedJob decodes what submit prints, as strictly as an API server does with
// --validate=strict: no unknown, doubled or wrongly cased field.
func indexedJob(t *testing.T, text string) *batch.Job {
	t.Helper()
	job := &batch.Job{}
	strict, err := kjson.UnmarshalStrict([]byte(text), job)
	if err != nil || len(strict) > 0 {
		t.Fatalf("%v %v\n%s", err, strict, text)
	}
	return job
}

// The manifest decodes strictly into the published Go types of batch/v1, and
// keeps the rules that an API server checks beyond them: an Indexed job needs
// completions, a Job's pods never restart as Always, every mount has a volume
// of an absolute path without "..", and names are labels.
func TestIndexedJob(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", strings.Replace(smallSweep, `"small"`, `"Small_sweep of a name that is very long indeed, longer than labels are"`, 1))
	stdout, stderr, status := berth(t, dir, "sweep", "submit", "s.toml", "--engine", "k8s", "--shards", "3", "-j", "2", "--dry-run", "-o", "o")
	if status != 0 {
		t.Fatal(stderr)
	}
	job := indexedJob(t, stdout)
	if job.APIVersion != batch.SchemeGroupVersion.String() || job.Kind != "Job" {
		t.Errorf("%s %s", job.APIVersion, job.Kind)
	}
	if bad := validation.IsDNS1123Label(job.Name); bad != nil {
		t.Errorf("name %q: %v", job.Name, bad)
	}
	// The pods' host names are the job's with "-INDEX": 63 letters in all.
	if bad := validation.IsDNS1123Label(job.Name + "-99999"); bad != nil {
		t.Errorf("host name of a pod: %v", bad)
	}
	spec := job.Spec
	if spec.CompletionMode == nil || *spec.CompletionMode != batch.IndexedCompletion || spec.Completions == nil || *spec.Completions != 3 ||
		spec.Parallelism == nil || *spec.Parallelism != 3 || spec.BackoffLimit == nil || *spec.BackoffLimit < 0 {
		t.Errorf("%+v", spec)
	}
	pod := spec.Template.Spec
	if pod.RestartPolicy != core.RestartPolicyNever || len(pod.Containers) != 1 {
		t.Fatalf("%+v", pod)
	}
	volumes := map[string]string{}
	for _, v := range pod.Volumes {
		if bad := validation.IsDNS1123Label(v.Name); bad != nil || v.HostPath == nil || !strings.HasPrefix(v.HostPath.Path, "/") || strings.Contains(v.HostPath.Path, "..") {
			t.Errorf("volume %+v: %v", v, bad)
		}
		volumes[v.Name] = v.HostPath.Path
	}
	c := pod.Containers[0]
	for _, m := range c.VolumeMounts {
		if path, ok := volumes[m.Name]; !ok || path != m.MountPath || (m.Name == "sweep") != m.ReadOnly {
			t.Errorf("mount %+v of volumes %v", m, volumes)
		}
	}
	if bad := validation.IsDNS1123Label(c.Name); bad != nil || c.Image == "" {
		t.Errorf("container %q of image %q: %v", c.Name, c.Image, bad)
	}
	if cpu := c.Resources.Requests[core.ResourceCPU]; cpu.Value() != 2 {
		t.Errorf("%v CPUs", cpu)
	}
	if !slices.Equal(c.Command[:2], []string{"sh", "-c"}) || !strings.Contains(c.Command[2], `--shard "$((JOB_COMPLETION_INDEX + 1))/3"`) {
		t.Error(c.Command)
	}
	// The test would see a field that the API does not have.
	wrong := &batch.Job{}
	if strict, err := kjson.UnmarshalStrict([]byte(strings.Replace(stdout, `"restartPolicy"`, `"restartpolicy"`, 1)), wrong); err == nil && len(strict) == 0 {
		t.Error("a wrongly cased field is accepted")
	}
}
