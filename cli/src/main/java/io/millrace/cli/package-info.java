/**
 * The command line. {@link io.millrace.cli.Millrace} is the entry point: it parses the arguments,
 * executes a command and turns each failure into one line and an exit code. Results go to standard
 * output, progress to standard error, details to the log file of the command.
 */
package io.millrace.cli;
