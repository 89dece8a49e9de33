package requests_test

import (
	"fmt"
	"time"

	"berth/traces/requests"
)

func ExampleBin() {
	r, err := requests.Open("testdata/mooncake.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	s, err := requests.Bin(r, 2*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Format(), s.Context, "tokens read a second")
	// Output: mooncake-jsonl [3379] tokens read a second
}
