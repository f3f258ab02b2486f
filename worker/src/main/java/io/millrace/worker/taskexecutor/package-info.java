/**
 * The TaskManager: {@link io.millrace.worker.taskexecutor.TaskExecutor}, set up by {@link
 * io.millrace.worker.taskexecutor.WorkerSettings}.
 *
 * <p>Everything here lives in the mailbox of that one endpoint. {@code
 * TaskExecutorResourceManagerConnection} is its side of the ResourceManager's registration; a
 * {@code HostedJob} is all it has of one job: the link to its leader, its slots and its {@code
 * JobTasks}.
 */
package io.millrace.worker.taskexecutor;
