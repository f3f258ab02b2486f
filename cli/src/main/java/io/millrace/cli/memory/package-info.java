/** The command that shows how the memory of a process is divided. */
package io.millrace.cli.memory;
