// Package e2e tests vomgr with the real assistants: their published programs in real terminals, against a model server on loopback.
//
// Its files carry the build tag e2e, except this one; e2e/run starts the tests.
package e2e
