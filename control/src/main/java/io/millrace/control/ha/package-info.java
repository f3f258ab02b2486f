/**
 * Data that must survive a JobManager. {@link io.millrace.control.ha.HaStore} is the plug point:
 * small values under keys, with versions against lost updates and terms against former leaders.
 * {@link io.millrace.control.ha.MemoryHaStore} implements it for clusters that end with their
 * process, {@link io.millrace.control.ha.FileHaStore} for a JobManager that restarts on the same
 * disk, and {@link io.millrace.control.ha.FencedHaStore} for storage that many machines see.
 *
 * <p>{@link io.millrace.control.ha.JobStore} keeps the jobs to recover and {@link
 * io.millrace.control.ha.JobResultStore} the results of jobs that must never run again; both hold
 * pointers only, the bytes of graphs and jars are blobs. {@link io.millrace.control.ha.TermCounter}
 * keeps terms growing, and {@link io.millrace.control.ha.LeaderRecord} tells TaskManagers the
 * address of the JobManager.
 */
package io.millrace.control.ha;
