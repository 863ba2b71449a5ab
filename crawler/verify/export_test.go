package verify

import "context"

// ProveAfter is Prove with something that happens once it has looked at what is there.
func ProveAfter(ctx context.Context, j Job, o Options, happens func()) (*Report, error) {
	pr, err := newProver([]Job{j}, o)
	if err != nil {
		return nil, err
	}
	happens()
	return pr.prove(ctx)
}
