package cluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A signer is a key, as an operator of brokers, an account or a user has one.
type signer struct {
	nkeys.KeyPair
	public string
}

func newSigner(t *testing.T, create func() (nkeys.KeyPair, error)) signer {
	t.Helper()
	key, err := create()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, public}
}

// sign returns claims with the signature of s.
func (s signer) sign(t *testing.T, claims jwt.Claims) string {
	t.Helper()
	token, err := claims.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// An authority is the configuration of brokers that know users by their credentials, and an account of theirs.
type authority struct {
	config  string
	account signer
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	operator := newSigner(t, nkeys.CreateOperator)
	account, system := newSigner(t, nkeys.CreateAccount), newSigner(t, nkeys.CreateAccount)
	oc := jwt.NewOperatorClaims(operator.public)
	oc.SystemAccount = system.public
	ac := jwt.NewAccountClaims(account.public)
	ac.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	sc := jwt.NewAccountClaims(system.public)
	return authority{account: account, config: fmt.Sprintf("operator: %s\nresolver: MEMORY\nresolver_preload: {%s: %s, %s: %s}",
		operator.sign(t, oc), account.public, operator.sign(t, ac), system.public, operator.sign(t, sc))}
}

// credentials writes the file of a user who may do just that.
func (a authority) credentials(t *testing.T, publish, subscribe []string) string {
	t.Helper()
	user := newSigner(t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(user.public)
	claims.Pub.Allow, claims.Sub.Allow = publish, subscribe
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(a.account.sign(t, claims), seed)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "user.creds")
	filetest.Write(t, name, text)
	return name
}

// Ensure that a user with the stated permissions can do all that a node does, which begins without its files too, and what an
// operator does, and that credentials of elsewhere are none.
func TestJoin_LeastPrivilege(t *testing.T) {
	t.Parallel()
	auth, w := newAuthority(t), newTree(8, 40)
	c := brokertest.StartWith(t, 1, brokertest.Options{Config: auth.config})
	publish, subscribe := stream.Permissions("test")
	o := joinOptions(c, "node", filepath.Join(t.TempDir(), "node"))
	o.Stream.Credentials = auth.credentials(t, publish, subscribe)
	o.Stream.Partitions, o.Frontier.SnapshotEvery, o.Frontier.SnapshotMost = 2, often, often
	w.crawlWith(t, o, true, nil)
	if again := w.check(t); again != 0 {
		t.Errorf("%d pages were asked for twice", again)
	}
	if err := os.RemoveAll(o.Frontier.Dir); err != nil {
		t.Fatal(err)
	}
	w.crawlWith(t, o, false, nil)

	operator, err := cluster.Operate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer operator.Close()
	if all, err := operator.Quarantined(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("Quarantined = %+v, %v", all, err)
	}

	other := newAuthority(t)
	o.Stream.Credentials = other.credentials(t, publish, subscribe)
	_, err = cluster.Join(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "credentials: the brokers refuse them") {
		t.Errorf("credentials of elsewhere: %v", err)
	}
}

// Ensure that the stated permissions are enough for nodes to call each other, and that a call leaves no denial behind, which would
// be taken for the cause of what goes wrong next.
func TestCall_LeastPrivilege(t *testing.T) {
	t.Parallel()
	auth := newAuthority(t)
	c := brokertest.StartWith(t, 1, brokertest.Options{Config: auth.config})
	publish, subscribe := stream.Permissions("test")
	connect := func() *stream.Brokers {
		o := joinOptions(c, "node", t.TempDir()).Stream
		o.Credentials = auth.credentials(t, publish, subscribe)
		b, err := stream.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	owner, caller := connect(), connect()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var serving sync.WaitGroup
	defer serving.Wait()
	defer cancel()
	serving.Go(func() {
		_ = owner.Serve(ctx, 0, func(_ context.Context, call []byte) []byte { return append(call, '!') })
	})
	for {
		answer, err := caller.Call(ctx, 0, []byte("call"))
		if err == nil && string(answer) == "call!" {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("Call = %q, %v", answer, err)
		}
		time.Sleep(10 * time.Millisecond) // it does not listen yet
	}
}
