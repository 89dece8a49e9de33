package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	helloForm  = `{"protocol":1,"name":"…","features":["free",…]}`
	answerForm = `{"round":N,"decisions":[…]}`
)

// parseWelcome reads the answer to hello.
func parseWelcome(text []byte) (*welcome, error) {
	var w welcome
	if err := parse(text, &w); err != nil {
		return nil, fmt.Errorf("the answer to hello is not %s: %w", helloForm, err)
	}
	if w.Protocol != Protocol {
		return nil, fmt.Errorf("the program speaks protocol %d; %d is accepted", w.Protocol, Protocol)
	}
	for _, f := range w.Features {
		if !slices.Contains(features, f) {
			return nil, fmt.Errorf("the program asks for the feature %q; accepted are %s", f, strings.Join(features, ", "))
		}
	}
	return &w, nil
}

// parse reads the answer to a round. The memory of the last one is used again.
func (a *answer) parse(text []byte, round int) error {
	*a = answer{Decisions: a.Decisions[:0]}
	if err := parse(text, a); err != nil {
		return fmt.Errorf("the answer to round %d is not %s: %w", round, answerForm, err)
	}
	if a.Round != round {
		return fmt.Errorf("the answer is to round %d; round %d was asked", a.Round, round)
	}
	for i := range a.Decisions {
		if err := a.Decisions[i].check(); err != nil {
			return fmt.Errorf("decision %d of round %d: %w", i+1, round, err)
		}
	}
	return nil
}

var strict = json.RejectUnknownMembers(true)

// parse reads a line strictly: a key that is not known is an error.
func parse(text []byte, into any) error {
	err := json.Unmarshal(text, into, strict)
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return plain(semantic)
	case errors.As(err, &syntactic):
		return fmt.Errorf("no JSON at byte %d: %w", syntactic.ByteOffset+1, syntactic.Err)
	}
	return err
}

// plain rewords a value that does not fit in words of JSON.
func plain(err *json.SemanticError) error {
	where := string(err.JSONPointer)
	switch {
	case errors.Is(err.Err, json.ErrUnknownName):
		return fmt.Errorf("the key %s is unknown; docs/protocol.md lists the keys", where)
	case err.JSONKind == 0 || err.GoType == nil:
		return fmt.Errorf("%s: %w", where, err.Err)
	}
	if err.Err != nil && err.JSONKind == '"' {
		return fmt.Errorf("%s: %w", where, err.Err)
	}
	found := err.JSONKind.String()
	if len(err.JSONValue) > 0 {
		found += " " + string(err.JSONValue)
	}
	if where == "" {
		where = "the line"
	}
	return fmt.Errorf("%s: a %s, where %s is accepted", where, found, typeName(err.GoType.Kind().String()))
}

func typeName(kind string) string {
	switch kind {
	case "int", "int64":
		return "a whole number"
	case "slice":
		return "a list, or a string of GPUs,"
	case "struct":
		return "an object"
	}
	return "a " + kind
}

// check reports a decision that is not exactly one verb with what belongs to
// it.
func (d *decision) check() error {
	verb, verbs := "", 0
	for _, v := range []struct {
		name string
		set  bool
	}{
		{"line", d.Line != nil}, {"start", d.Start != nil}, {"preempt", d.Preempt != nil}, {"reject", d.Reject != nil},
		{"explain", d.Explain != nil}, {"grow", d.Grow != nil}, {"shrink", d.Shrink != nil}, {"wake", d.Wake != nil},
	} {
		if v.set {
			verb = v.name
			verbs++
		}
	}
	if verbs != 1 {
		return fmt.Errorf("it has %d of the keys line, start, preempt, reject, explain, grow, shrink, wake; one is accepted", verbs)
	}
	moves, says := verb == "grow" || verb == "shrink", verb == "reject" || verb == "explain"
	switch {
	case d.GPUs != nil && !moves && verb != "start", d.Node != nil && verb != "start", d.Reason != "" && !says:
		return fmt.Errorf("%s goes with gpus for grow and shrink, with gpus or node for start, and with reason for reject and explain", verb)
	case d.GPUs != nil && d.Node != nil:
		return errors.New("start has gpus and node; node is for jobs without GPUs")
	case moves && d.GPUs == nil:
		return fmt.Errorf("%s needs gpus, as in {%q:\"chat\",\"gpus\":\"0-3\"}", verb, verb)
	case says && d.Reason == "":
		return fmt.Errorf("%s needs a reason", verb)
	}
	return nil
}

// quote shows a line, shortened in the middle.
func quote(text []byte) string {
	const most = 400
	if n := len(text); n > most {
		return fmt.Sprintf("%s … %s (%d bytes)", quote(text[:most/2]), quote(text[n-most/2:]), n)
	}
	for _, r := range string(text) {
		if !unicode.IsPrint(r) {
			return fmt.Sprintf("%q", text)
		}
	}
	return string(text)
}
