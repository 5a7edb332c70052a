// Command tsa answers requests for timestamps (RFC 3161) on the loopback interface, by openssl, with the keys in the
// folder it is given. It stands in for Apple's service, whose address is fixed in goreleaser, as the proxy for it.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tsa FOLDER, with tsa.cnf in it")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "tsa: %v\n", err)
		os.Exit(1)
	}
}

func serve(dir string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	fmt.Printf("http://%s\n", l.Addr())
	s := http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, err := answer(dir, r)
		if err != nil {
			fmt.Fprintf(os.Stderr, "tsa: %v\n", err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/timestamp-reply")
		w.Header().Set("Content-Length", strconv.Itoa(len(reply))) // the client needs it
		_, _ = w.Write(reply)                                      // the client sees a cut answer
	})}
	return s.Serve(l)
}

// answer has openssl sign the request.
func answer(dir string, r *http.Request) ([]byte, error) {
	query, err := os.CreateTemp(dir, "query")
	if err != nil {
		return nil, fmt.Errorf("keeping the request: %w", err)
	}
	defer os.Remove(query.Name())
	if _, err := io.Copy(query, r.Body); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if err := query.Close(); err != nil {
		return nil, fmt.Errorf("keeping the request: %w", err)
	}
	c := exec.CommandContext(r.Context(), "openssl", "ts", "-reply", "-config", filepath.Join(dir, "tsa.cnf"), "-section", "tsa", "-queryfile", query.Name())
	c.Dir = dir
	reply, err := c.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("openssl ts -reply: %w: %s", err, failed.Stderr)
	}
	return reply, err
}
