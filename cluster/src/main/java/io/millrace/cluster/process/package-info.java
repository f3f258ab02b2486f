/**
 * Starts TaskManagers on this machine when jobs need them. {@link
 * io.millrace.cluster.process.ProcessDriver} uses a {@link
 * io.millrace.control.driver.process.ProcessSupervisor} to start and end them for the
 * ResourceManager. {@link io.millrace.cluster.process.WorkerFiles} stores them on disk, so that a
 * restarted JobManager, and a command that stops a cluster without one, find all of their
 * processes. {@link io.millrace.cluster.process.OsProcess} distinguishes a process from a later one
 * with the same pid.
 *
 * <p>Programs do not use this package directly.
 */
package io.millrace.cluster.process;
