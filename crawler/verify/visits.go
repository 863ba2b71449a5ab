package verify

// A visit is what is known of one URL while its records go by.
type visit struct {
	run     int32
	round   int32
	errand  int32 // the run in which redirects had led back to it, for which its last request was made; 0 for none
	state   visitState
	outcome bool   // its last request has an outcome
	over    bool   // the one before it was of another job, and has none so far
	needed  bool   // it was asked for as what a page needs, and not as a page
	checked bool   // it was asked for to see whether its page is there
	taken   bool   // that had been so before, and then it was asked for as a page
	stores  bool   // something may be stored of its last request, and says tells what its outcome says of the list
	status  int16  // that answered it
	epoch   uint64 // of the tenure that its last request left under; 0 in a crawl of one process
	end     int64  // of its last request, on the wall, in nanoseconds
	again   int64  // not to be requested again before, likewise; 0 when nobody said
	digest  uint64 // hash of the digest of its stored page; 0 when none was stored
	says    uint64
	listed  uint64 // what must be in the list, as of pass.listed; 0 when nothing must, or it was there
	seq     uint64 // of the record that says so, as of pass.reference
	refusal refusal
}

type visitState uint8

const (
	answered visitState = iota // and the outcome is still to come
	failed                     // the request may be made again
	settled                    // nothing may be asked for again
)

// visits are the visits of one pass by the hash of the URL: in large blocks, for there may be millions.
type visits struct {
	at     map[uint64]int32
	blocks [][]visit
}

const visitsBlock = 4096

// of returns the visit of a URL, nil when there was none. It stays where it is.
func (v *visits) of(h uint64) *visit {
	if n, ok := v.at[h]; ok {
		return &v.blocks[n/visitsBlock][n%visitsBlock]
	}
	return nil
}

// add adds the visit of another URL.
func (v *visits) add(h uint64) *visit {
	n := v.len()
	if n%visitsBlock == 0 {
		v.blocks = append(v.blocks, make([]visit, 0, visitsBlock))
	}
	last := &v.blocks[len(v.blocks)-1]
	*last = append(*last, visit{})
	v.at[h] = int32(n)
	return &(*last)[len(*last)-1]
}

func (v *visits) len() int { return len(v.at) }

// missing yields the records of what must be in the list and was not there.
func (v *visits) missing(yield func(seq uint64) bool) {
	for _, block := range v.blocks {
		for i := range block {
			if block[i].listed != 0 && !yield(block[i].seq) {
				return
			}
		}
	}
}
