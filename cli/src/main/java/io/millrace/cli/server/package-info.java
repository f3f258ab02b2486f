/**
 * The commands that run a server process in the foreground, and {@link
 * io.millrace.cli.server.JvmFlags}, which the launcher asks for the JVM options of such a process.
 */
package io.millrace.cli.server;
