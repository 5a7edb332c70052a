// Package msix stands in for the library with which goreleaser makes MSIX packages: vomgr ships none, so neither that
// library nor what it needs is built into the release tool. Only the names that goreleaser's packager mentions are here.
package msix

import (
	"crypto"
	"crypto/x509"
	"errors"
	"io"
)

// errNone is the answer to every attempt to make an MSIX package.
var errNone = errors.New("msix packages are left out of this build of goreleaser")

// The parts of a package's manifest, by the names the packager fills.
type (
	// Manifest describes a package.
	Manifest struct {
		Identity     Identity
		Properties   Properties
		Dependencies Dependencies
		Resources    []Resource
		Applications []Application
		Capabilities Capabilities
	}
	// Identity names a package.
	Identity struct{ Name, Version, Publisher, ProcessorArchitecture, ResourceID string }
	// Properties are what a person sees of it.
	Properties struct{ DisplayName, PublisherDisplayName, Logo, Description string }
	// Dependencies are the systems it needs.
	Dependencies struct{ TargetDeviceFamilies []TargetDeviceFamily }
	// TargetDeviceFamily is one such system.
	TargetDeviceFamily struct{ Name, MinVersion, MaxVersionTested string }
	// Resource is a language.
	Resource struct{ Language string }
	// Application is a program in it.
	Application struct {
		ID, Executable, EntryPoint string
		VisualElements             VisualElements
	}
	// VisualElements are a program's name and pictures.
	VisualElements struct{ DisplayName, Description, BackgroundColor, Square150x150Logo, Square44x44Logo string }
	// Capabilities are what it may do.
	Capabilities struct {
		Capabilities       []Capability
		DeviceCapabilities []DeviceCapability
		Restricted         []RestrictedCapability
	}
	// DeviceCapability is one that gives a device.
	DeviceCapability struct{ Name string }
	// Capability is one such permission.
	Capability struct{ Name string }
	// RestrictedCapability is one that needs approval.
	RestrictedCapability struct{ Name string }
	// SignOptions is what a package is signed with.
	SignOptions struct {
		Certificate *x509.Certificate
		PrivateKey  crypto.PrivateKey
		CertChain   []*x509.Certificate
	}
)

// Builder makes no package.
type Builder struct {
	Manifest    Manifest
	SignOptions *SignOptions
}

// NewBuilder gives a builder that makes no package.
func NewBuilder() *Builder { return &Builder{} }

// AddFile says that no package is made.
func (*Builder) AddFile(string, string) error { return errNone }

// Build says that no package is made.
func (*Builder) Build(io.Writer) error { return errNone }

// LoadPFX says that no package is made.
func LoadPFX(string, string) (*x509.Certificate, crypto.PrivateKey, []*x509.Certificate, error) {
	return nil, nil, nil, errNone
}
