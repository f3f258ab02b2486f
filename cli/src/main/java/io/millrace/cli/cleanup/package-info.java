/**
 * The command {@code cleanup}, which removes what ended clusters have left. {@link
 * io.millrace.cli.cleanup.CleanupCommand} is the entry.
 */
package io.millrace.cli.cleanup;
