/**
 * Schedules the tasks of one job. {@link io.millrace.control.scheduler.Scheduler} takes events and
 * the time, and returns {@link io.millrace.control.scheduler.SchedulerAction}s: deploy tasks,
 * cancel tasks, restart after a delay, end the job. A plain object without clocks, threads or
 * calls; the JobMaster carries out its actions. {@link io.millrace.control.scheduler.ExecutionPlan}
 * renders the graph that it would run.
 */
package io.millrace.control.scheduler;
