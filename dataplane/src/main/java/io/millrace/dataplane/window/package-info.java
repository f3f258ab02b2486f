/**
 * Window operators. {@link io.millrace.dataplane.window.WindowOperator} is the entry and chooses
 * the implementation: aligned windows with a table per window, sliding windows that share panes,
 * and session windows with a list per key.
 */
package io.millrace.dataplane.window;
