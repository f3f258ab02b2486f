/**
 * The commands that call a program's {@code main}: {@link io.millrace.cli.run.RunCommand} executes
 * its jobs, {@link io.millrace.cli.run.InfoCommand} prints their graphs.
 */
package io.millrace.cli.run;
