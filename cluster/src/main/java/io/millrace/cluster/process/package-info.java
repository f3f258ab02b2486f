/**
 * TaskManagers that are started on this machine as jobs need them. {@link
 * io.millrace.cluster.process.ProcessDriver} lets a {@link
 * io.millrace.control.driver.process.ProcessSupervisor} start and end them for the ResourceManager;
 * what it keeps on disk is in {@link io.millrace.cluster.process.WorkerFiles}, through which a
 * restarted JobManager, and a command that stops a cluster without one, find every process that was
 * ever started. {@link io.millrace.cluster.process.OsProcess} tells a process from a later one with
 * the same pid.
 */
package io.millrace.cluster.process;
