/**
 * Bounds on what others make this process log. {@link io.millrace.core.log.LogThrottle} is for
 * warnings that anybody who reaches a port can cause.
 */
package io.millrace.core.log;
