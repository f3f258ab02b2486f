/**
 * Snapshots of operators: their format, their files and their way back. {@link
 * io.millrace.dataplane.snapshot.OperatorSnapshotBuilder} collects the state of an operator in the
 * task's step; an I/O thread writes it through {@link
 * io.millrace.dataplane.snapshot.HostCheckpoints}, which puts the pieces of all tasks of a job into
 * few files. {@link io.millrace.dataplane.snapshot.RestoredState} reads the pieces that an operator
 * starts with. {@link io.millrace.dataplane.snapshot.OperatorStateBackend} holds the operator
 * states, which have no key.
 *
 * <p>{@code docs/state-format.md} describes the bytes. Every piece has the schemas of the classes
 * that it contains, and is refused if a class has changed in a way that would lose or misread
 * values.
 */
package io.millrace.dataplane.snapshot;
