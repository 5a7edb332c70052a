package linux

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// display is an X display's name taken apart: [host]:number[.screen], or the path of a socket.
type display struct {
	host, socket string
	number       int
}

func parseDisplay(name string) (display, bool) {
	if strings.HasPrefix(name, "/") {
		return display{socket: name}, true
	}
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return display{}, false
	}
	digits, _, _ := strings.Cut(name[colon+1:], ".")
	number, err := strconv.Atoi(digits)
	if err != nil || number < 0 || number > 59535 {
		return display{}, false
	}
	return display{host: strings.TrimPrefix(name[:colon], "unix"), number: number}, true
}

// Forwarded says that an X display is one that ssh carries home: it is reached over the network and its number is 10
// or more (sshd's X11DisplayOffset), which no display of a container's host or of an X server for Windows has.
func Forwarded(name string) bool {
	d, ok := parseDisplay(name)
	return ok && d.host != "" && d.number >= 10
}

// addresses lists where the display may be reached, as pairs of network and address.
func (d display) addresses() [][2]string {
	switch {
	case d.socket != "":
		return [][2]string{{"unix", d.socket}}
	case d.host != "":
		return [][2]string{{"tcp", net.JoinHostPort(d.host, strconv.Itoa(6000+d.number))}}
	default:
		socket := "/tmp/.X11-unix/X" + strconv.Itoa(d.number)
		return [][2]string{{"unix", "@" + socket}, {"unix", socket}}
	}
}

// XAnswers says that an X server answers under that name within limit. A socket alone may be left over, and a server
// that hangs still lets connections in, so it is greeted: in a version of the protocol that never was, since a server
// on which the last accepted guest leaves starts anew, and one that is just coming would be thrown out.
func XAnswers(name string, limit time.Duration) bool {
	d, ok := parseDisplay(name)
	if !ok {
		return false
	}
	greeting := []byte{'l', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // little-endian, protocol 0.0, no key
	return greet(d.addresses(), greeting, limit)
}

// WaylandAnswers says that a compositor answers within limit at the socket called name in runtimeDir.
func WaylandAnswers(runtimeDir, name string, limit time.Duration) bool {
	if name == "" || !path.IsAbs(name) && runtimeDir == "" {
		return false
	}
	if !path.IsAbs(name) {
		name = path.Join(runtimeDir, name)
	}
	request := make([]byte, 0, 12) // wl_display.sync: object 1, 12 bytes, opcode 0, new object 2
	for _, word := range []uint32{1, 12 << 16, 2} {
		request = binary.NativeEndian.AppendUint32(request, word)
	}
	return greet([][2]string{{"unix", name}}, request, limit)
}

// greet sends request to the first address that lets it in and says whether a byte came back.
func greet(addresses [][2]string, request []byte, limit time.Duration) bool {
	end := time.Now().Add(limit)
	for _, a := range addresses {
		conn, err := (&net.Dialer{Deadline: end}).Dial(a[0], a[1])
		if err != nil {
			continue
		}
		answered := exchange(conn, request, end, a[0] == "tcp")
		_ = conn.Close()
		if answered {
			return true
		}
	}
	return false
}

// exchange sends request and says whether a byte came back; or whether the other end hung up, if that counts:
// ssh does so with a guest that brings no key.
func exchange(conn net.Conn, request []byte, end time.Time, hangUpCounts bool) bool {
	if conn.SetDeadline(end) != nil {
		return false
	}
	if _, err := conn.Write(request); err != nil {
		return false
	}
	n, err := conn.Read(make([]byte, 1))
	return n == 1 || hangUpCounts && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET))
}
