package broker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// childEnv is the variable that makes a program a broker.
const childEnv = "CYBERMAPPER_BROKER"

// up is what a broker says on standard output when it listens.
const up = "up"

// startTime is how long a broker may take until it listens.
const startTime = 30 * time.Second

// A settings is what a broker is told.
type settings struct {
	Name   string
	Dir    string
	Host   string
	Port   int
	Route  int
	Routes []string
	Config string // in the form of a broker's configuration file
}

// Main makes this process a broker, for good, if Run began it as one. It is called first in main, or TestMain.
func Main() {
	text := os.Getenv(childEnv)
	if text == "" {
		return
	}
	var s settings
	err := json.Unmarshal([]byte(text), &s)
	if err == nil {
		err = s.serve()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "broker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// log returns the file in which the broker says what happens to it.
func (s *settings) log() string { return filepath.Join(s.Dir, "log") }

// serve is a broker until standard input ends, as it does with the process that holds the other end. Ctrl-C at a terminal reaches
// both, and that process may need it for a while. It answers each line there with how many clients it has.
func (s *settings) serve() error {
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	o := &server.Options{
		ServerName: s.Name, Host: s.Host, Port: s.Port, JetStream: true, StoreDir: s.Dir, SyncAlways: true, NoSigs: true,
		LogFile: s.log(), JetStreamMaxStore: 1 << 40, JetStreamMaxMemory: 256 << 20,
	}
	if len(s.Routes) > 1 {
		o.Cluster = server.ClusterOpts{Name: "loopback", Host: s.Host, Port: s.Route, NoAdvertise: true}
		for _, r := range s.Routes {
			u, err := url.Parse(r)
			if err != nil {
				return err
			}
			o.Routes = append(o.Routes, u)
		}
	}
	if s.Config != "" {
		if err := o.ProcessConfigString(s.Config); err != nil {
			return err
		}
	}
	srv, err := server.NewServer(o)
	if err != nil {
		return err
	}
	srv.ConfigureLogger()
	srv.Start()
	if !srv.ReadyForConnections(startTime) {
		return fmt.Errorf("%s is not up after %v", s.Name, startTime)
	}
	fmt.Println(up)
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		fmt.Println(srv.NumClients())
	}
	srv.Shutdown()
	return asked.Err()
}

// A Cluster is some brokers on loopback, each a process of its own.
type Cluster struct {
	Brokers []*Broker
}

// A Broker is one of them. Its methods are not safe for concurrent use.
type Broker struct {
	s     settings
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  *os.File // what it writes
}

// Options say where brokers listen and how they are set.
type Options struct {
	Host   string // an address of loopback; 127.0.0.1 if empty
	Config string // more settings, in the form of a broker's configuration file
}

// Run starts n brokers that sync each write, in a cluster if they are several, and waits until they listen. Their files are in dir.
func Run(dir string, n int) (*Cluster, error) { return RunWith(dir, n, Options{}) }

// RunWith is Run with options.
func RunWith(dir string, n int, o Options) (*Cluster, error) {
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	c := &Cluster{}
	var routes []string
	for i := range n {
		s := settings{Name: "broker" + strconv.Itoa(i), Host: o.Host, Config: o.Config}
		s.Dir = filepath.Join(dir, s.Name)
		var err error
		if s.Port, s.Route, err = freePorts(o.Host); err != nil {
			return nil, err
		}
		routes = append(routes, "nats://"+net.JoinHostPort(o.Host, strconv.Itoa(s.Route)))
		c.Brokers = append(c.Brokers, &Broker{s: s})
	}
	for _, b := range c.Brokers {
		b.s.Routes = routes
		if err := b.Start(); err != nil {
			c.Stop()
			return nil, err
		}
	}
	return c, nil
}

// Stop ends all brokers, without any farewell.
func (c *Cluster) Stop() {
	for _, b := range c.Brokers {
		b.Kill()
	}
}

// clientsEvery is how often it is asked whether clients are still there.
const clientsEvery = 200 * time.Millisecond

// WaitForClients returns when no client is connected to any broker, or ctx ends. A broker that does not answer has died, and has
// none.
func (c *Cluster) WaitForClients(ctx context.Context) error {
	for {
		sum := 0
		for _, b := range c.Brokers {
			if n, err := b.clients(); err == nil {
				sum += n
			}
		}
		if sum == 0 {
			return nil
		}
		select {
		case <-time.After(clientsEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// URLs returns where the brokers listen.
func (c *Cluster) URLs() (urls []string) {
	for _, b := range c.Brokers {
		urls = append(urls, b.URL())
	}
	return urls
}

// URL returns where the broker listens, also while it does not run.
func (b *Broker) URL() string { return "nats://" + b.Address() }

// Address returns host and port of URL.
func (b *Broker) Address() string { return net.JoinHostPort(b.s.Host, strconv.Itoa(b.s.Port)) }

// Start starts the broker, again maybe, on the files it has, and returns when it listens. Something else may have taken its port:
// then the broker ends, which is an error.
func (b *Broker) Start() error {
	text, err := json.Marshal(b.s)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.s.Dir, 0o755); err != nil {
		return err
	}
	said, says, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stdout, cmd.Stderr = says, os.Stderr
	if b.stdin, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	says.Close()
	if err != nil {
		said.Close()
		return err
	}
	b.cmd, b.said = cmd, said
	if line, err := b.line(); line != up {
		b.Kill()
		return fmt.Errorf("%s does not listen at %s: %w; see %s", b.s.Name, b.Address(), err, b.s.log())
	}
	return nil
}

// line returns the next line that the broker writes.
func (b *Broker) line() (line string, err error) {
	b.said.SetReadDeadline(time.Now().Add(startTime)) // an error where pipes have none: the broker ends by itself
	_, err = fmt.Fscanln(b.said, &line)
	return line, err
}

// clients returns how many clients are connected to the broker; none to one that does not run.
func (b *Broker) clients() (n int, err error) {
	if b.cmd == nil {
		return 0, nil
	}
	if _, err = fmt.Fprintln(b.stdin); err != nil {
		return 0, err
	}
	line, err := b.line()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(line)
}

// Kill ends the process without any farewell.
func (b *Broker) Kill() {
	if b.cmd == nil {
		return
	}
	b.cmd.Process.Kill()
	b.cmd.Wait()
	b.said.Close()
	b.cmd = nil
}

// Process returns that of the broker; nil while it does not run.
func (b *Broker) Process() *os.Process {
	if b.cmd == nil {
		return nil
	}
	return b.cmd.Process
}

// Ports that brokers listen at: below those that systems give to connections which go out, from 32768 on Linux and 49152 elsewhere.
// One of these may take the port of a broker before it listens there, or while it is to be started again.
const (
	leastPort = 10_000
	mostPort  = 32_767
)

// freePorts returns two ports of host that nobody listens at.
func freePorts(host string) (one, two int, err error) {
	var ports []int
	for range 1000 {
		var l net.Listener
		port := leastPort + rand.IntN(mostPort-leastPort+1)
		if l, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err != nil {
			continue
		}
		defer l.Close()
		if ports = append(ports, port); len(ports) == 2 {
			return ports[0], ports[1], nil
		}
	}
	return 0, 0, fmt.Errorf("no free port: %w", err)
}
