/**
 * The TaskManager: {@link io.millrace.worker.taskexecutor.TaskExecutor}, configured by {@link
 * io.millrace.worker.taskexecutor.WorkerSettings}.
 *
 * <p>All classes are confined to the mailbox of that endpoint. {@code
 * TaskExecutorResourceManagerConnection} is its registration at the ResourceManager; a {@code
 * HostedJob} is a job on this worker: the registration at its leader, its slots and its {@code
 * JobTasks}. {@code PendingDeployments} keeps tasks until their code and state are loaded, and a
 * {@code CancellationWatchdog} ends the process if a task does not end.
 */
package io.millrace.worker.taskexecutor;
