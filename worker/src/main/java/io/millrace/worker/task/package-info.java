/**
 * The code and the cached files of a job on a worker. {@link io.millrace.worker.task.JobCode} loads
 * its graph and its classes; {@link io.millrace.worker.task.UserClassLoaders} decides how classes
 * are loaded. {@link io.millrace.worker.task.CachedFileStore} has the local copies of cached files.
 */
package io.millrace.worker.task;
