package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// indexedJob writes a Kubernetes Job (batch/v1) with an index a shard. The
// folder of the sweep file and the output folder are those of the nodes, as
// with Slurm. YAML's superset of JSON is what is written.
func (c *cluster) indexedJob(w io.Writer) error {
	type m = map[string]any
	run := fmt.Sprintf("exec berth sweep %s --shard \"$((JOB_COMPLETION_INDEX + 1))/%d\" -j %d -o %s",
		quoted(c.file), c.shards, c.jobs, quoted(c.out))
	folders := []string{c.file[:strings.LastIndexByte(c.file, '/')+1], c.out}
	var volumes, mounts []m
	for i, folder := range folders {
		name := []string{"sweep", "output"}[i]
		kind := []string{"Directory", "DirectoryOrCreate"}[i]
		volumes = append(volumes, m{"name": name, "hostPath": m{"path": folder, "type": kind}})
		mounts = append(mounts, m{"name": name, "mountPath": folder, "readOnly": i == 0})
	}
	job := m{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": m{"name": strings.TrimSuffix("berth-"+kubernetesName(c.sweep.Name), "-")},
		"spec": m{
			"completionMode": "Indexed", "completions": c.shards, "parallelism": c.shards,
			"backoffLimit": c.shards,
			"template": m{"spec": m{
				"restartPolicy": "Never",
				"volumes":       volumes,
				"containers": []m{{
					"name": "berth", "image": c.image,
					"command":      []string{"sh", "-c", run},
					"resources":    m{"requests": m{"cpu": strconv.Itoa(c.jobs)}},
					"volumeMounts": mounts,
				}},
			}},
		},
	}
	text, err := json.MarshalIndent(job, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// kubernetesName is a name as an RFC 1123 label that leaves room for a prefix.
func kubernetesName(s string) string {
	s = notInName.ReplaceAllString(strings.ToLower(s), "-")
	return strings.Trim(s[:min(len(s), 50)], "-")
}
