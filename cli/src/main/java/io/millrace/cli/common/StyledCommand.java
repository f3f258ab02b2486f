package io.millrace.cli.common;

import io.millrace.client.CommandLineStyle;

/** A command that accepts the options of the command-line styles of plugins. */
public interface StyledCommand {
  /** The kind of the command, which decides the options; most commands use a running cluster. */
  default CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.CLUSTER;
  }
}
