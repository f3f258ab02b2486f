/**
 * Runs the graph of one job over its slots. {@link io.millrace.control.scheduler.Scheduler} takes
 * what happened and the time, and returns {@link io.millrace.control.scheduler.SchedulerAction}s:
 * deploy these tasks, cancel those, restart after a while, the job has ended. A plain object
 * without clocks, threads or calls; the JobMaster carries out what it says. {@link
 * io.millrace.control.scheduler.ExecutionPlan} shows the graph that it would run.
 */
package io.millrace.control.scheduler;
