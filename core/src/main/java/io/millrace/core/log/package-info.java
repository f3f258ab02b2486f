/**
 * Limits on log output. {@link io.millrace.core.log.LogThrottle} is for warnings that any remote
 * host can cause.
 */
package io.millrace.core.log;
