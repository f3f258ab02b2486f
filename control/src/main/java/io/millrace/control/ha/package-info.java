/**
 * What must survive a JobManager. {@link io.millrace.control.ha.HaStore} is the plug point: small
 * values under keys, with versions against lost updates and terms against leaders of the past.
 * {@link io.millrace.control.ha.MemoryHaStore} fills it for clusters that end with their process,
 * {@link io.millrace.control.ha.FileHaStore} for those that are started again on the same disk, and
 * {@link io.millrace.control.ha.FencedHaStore} on storage that many machines see. {@link
 * io.millrace.control.ha.JobStore} keeps the jobs to recover and {@link
 * io.millrace.control.ha.JobResults} those that must never run again; both hold pointers only, the
 * bytes of graphs and jars are blobs. {@link io.millrace.control.ha.TermCounter} keeps terms
 * growing, and {@link io.millrace.control.ha.LeaderRecord} tells TaskManagers where the JobManager
 * is.
 */
package io.millrace.control.ha;
