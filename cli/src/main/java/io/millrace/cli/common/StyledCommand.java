package io.millrace.cli.common;

import io.millrace.client.CommandLineStyle;

/** A command that takes the options of the command-line styles of plugins. */
public interface StyledCommand {
  CommandLineStyle.Use styleUse();
}
