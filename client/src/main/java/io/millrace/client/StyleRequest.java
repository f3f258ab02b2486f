package io.millrace.client;

import java.util.Objects;

/** A style and its arguments on one command line. */
public record StyleRequest(CommandLineStyle style, StyleArguments arguments) {
  public StyleRequest {
    Objects.requireNonNull(style);
    Objects.requireNonNull(arguments);
  }
}
