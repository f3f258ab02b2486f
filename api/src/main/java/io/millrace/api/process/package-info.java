/**
 * Functions with access to their task: lifecycle and {@link
 * io.millrace.api.process.RuntimeContext}, timers, windows and side outputs. {@link
 * io.millrace.api.process.RichFunction} is the base. Functions without such access are in {@code
 * function}.
 */
package io.millrace.api.process;
