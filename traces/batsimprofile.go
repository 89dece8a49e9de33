package traces

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"berth/sim"
)

var (
	rejectNoProfile = cause{what: "no such profile", hint: "the job names a profile that the file does not have; nothing admits it"}
	rejectProfile   = cause{what: "profile of another type", hint: "accepted are delay, parallel, parallel_homogeneous, parallel_homogeneous_total; nothing admits it"}
	rejectNoFlops   = cause{what: "parallel profile, speed of a processor unknown", hint: "{flops}1e9 says that it does so many operations a second"}
	quirkComm       = cause{quirk: true, what: "parallel profiles that communicate", hint: "run times count their operations only, at the speed given"}
)

// profile is what a job does.
type profile struct {
	kind  string
	delay sim.Time // of a delay
	work  float64  // operations of the busiest processor, or of all together
}

const maxProfiles = 4 << 20

// addProfile reads one profile.
func (b *batsim) addProfile(name string, value []byte) error {
	bad := func(err error) error {
		return &InputError{File: b.text.in.name, Line: b.text.in.line, Msg: fmt.Sprintf("profile %s: %s", quote([]byte(name)), err)}
	}
	if len(b.profiles) == maxProfiles {
		return bad(fmt.Errorf("more than %d profiles; accepted are up to that", maxProfiles))
	}
	var p profile
	comm := false
	b.d.Reset(bytes.NewBuffer(value))
	err := members(b.d, func(name []byte) (err error) {
		switch string(name) {
		case `"type"`:
			b.kind, err = jsonField(b.d, b.kind[:0])
			p.kind = string(b.kind)
		case `"delay"`:
			b.delay, err = jsonField(b.d, b.delay[:0])
			if err == nil {
				v := reading{in: b.text.in}
				p.delay = v.time("delay", b.delay)
				err = v.err
			}
		case `"cpu"`:
			p.work, err = b.most()
		case `"com"`:
			var v float64
			v, err = b.most()
			comm = v > 0
		default:
			return b.d.SkipValue()
		}
		return err
	})
	if err != nil {
		return bad(err)
	}
	if comm {
		b.text.in.quirk(&quirkComm)
	}
	b.profiles[name] = p
	return nil
}

// most is a number, or the largest of a list of numbers.
func (b *batsim) most() (most float64, err error) {
	one := func() error {
		if b.cpu, err = jsonField(b.d, b.cpu[:0]); err != nil {
			return err
		}
		n, ok := parseNumber(b.cpu)
		if !ok {
			return fmt.Errorf("%s is no number", quote(b.cpu))
		}
		most = max(most, n.float())
		return nil
	}
	if b.d.PeekKind() == '[' {
		return most, items(b.d, one)
	}
	return most, one()
}

// lasts works out the run time from the profile, or says false: it has
// rejected the job.
func (b *batsim) lasts(r *record) bool {
	in := b.text.in
	p, ok := b.profiles[string(b.profile)]
	if !ok {
		in.reject(&rejectNoProfile, r.row, quote(b.profile))
		return false
	}
	work := p.work
	switch p.kind {
	case "delay", "DelayProfile":
		r.run = p.delay
		return true
	case "parallel", "parallel_homogeneous", "msg_par", "msg_par_hg", "ptask":
	case "parallel_homogeneous_total", "msg_par_hg_tot":
		work /= float64(max(r.gpus, 1))
	default:
		in.reject(&rejectProfile, r.row, quote([]byte(p.kind)))
		return false
	}
	if in.opts.Flops == 0 {
		in.reject(&rejectNoFlops, r.row, "")
		return false
	}
	seconds := work / in.opts.Flops
	if !(seconds < maxSeconds) {
		in.reject(&rejectLongRun, r.row, "")
		return false
	}
	r.run = sim.Time(math.Round(seconds * float64(time.Second)))
	return true
}
