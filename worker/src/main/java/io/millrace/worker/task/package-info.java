/**
 * The code of a job on a worker. {@link io.millrace.worker.task.JobCode} loads its graph and its
 * classes; {@link io.millrace.worker.task.UserClassLoaders} decides how classes are loaded.
 */
package io.millrace.worker.task;
