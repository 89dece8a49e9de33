package traces

import "berth/sim"

func init() {
	register(Format{
		Name:        "genai",
		Description: "Alibaba GenAI trace 2026: image-generation requests as CSV, one GPU each",
		Times:       "calendar, no zone: UTC; time 0 is the first request",
		sniff:       func(head []byte) bool { return hasColumns(head, genaiColumns...) },
		open:        openGenAI,
	})
}

var genaiColumns = []string{"gmt_create", "predict_type", "predict_status", "exec_time_seconds", "groupid"}

// genai turns requests into jobs on one GPU, the group as tenant: how many
// GPUs a request took is not recorded, and a diffusion model fits one.
type genai struct {
	each
	clock                       clock
	create, status, exec, group int
}

func openGenAI(in *input) (rows, error) {
	g := &genai{clock: clock{zone: in.opts.Zone}}
	g.each.job = g.parse
	kind := 0
	t, err := openTable(in, map[string]*int{
		"gmt_create": &g.create, "predict_type": &kind, "predict_status": &g.status,
		"exec_time_seconds": &g.exec, "groupid": &g.group,
	})
	if err != nil {
		return nil, err
	}
	g.table = t
	in.useCalendar()
	return g, nil
}

func (g *genai) parse(j *sim.Job) (bool, error) {
	f, in := g.fields, g.in
	r := record{
		row: g.row, tenant: g.text(g.group), kind: sim.BatchInference, state: stateOf(f[g.status]),
		start: Unrecorded, end: Unrecorded, gpus: 1,
	}
	v := reading{in: in}
	r.submit = v.calendar(&g.clock, "gmt_create", f[g.create])
	r.run = v.time("exec_time_seconds", f[g.exec])
	return v.judge(&r, nil, j)
}
