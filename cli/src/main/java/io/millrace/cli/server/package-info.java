/**
 * The commands that run a server process in the foreground, and {@link
 * io.millrace.cli.server.JvmFlags}, from which the launcher gets the JVM options of such a process.
 */
package io.millrace.cli.server;
