/**
 * What the lines of the log carry, and limits on their number. {@link
 * io.millrace.core.log.LogContext} sets the ids of job and task. {@link
 * io.millrace.core.log.LogThrottle} is for warnings that any remote host can cause.
 */
package io.millrace.core.log;
