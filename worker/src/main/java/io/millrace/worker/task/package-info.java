/**
 * A job's program on a worker. {@link io.millrace.worker.task.JobCode} is its graph and its
 * classes; {@link io.millrace.worker.task.UserClasses} decides how classes are loaded, for which
 * {@link io.millrace.core.classes.ProgramClassLoader} is the usual way.
 */
package io.millrace.worker.task;
