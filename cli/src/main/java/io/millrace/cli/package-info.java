/**
 * The command line. {@link io.millrace.cli.Millrace} is the way in: it parses, runs a command and
 * turns every failure into one line and an exit code. Results go to standard output, progress to
 * standard error, details to the log file of the command.
 */
package io.millrace.cli;
