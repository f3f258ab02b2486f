package io.millrace.client;

import java.util.Objects;

/** A style and what was given in it. */
public record StyleRequest(CommandLineStyle style, StyleArguments arguments) {
  public StyleRequest {
    Objects.requireNonNull(style);
    Objects.requireNonNull(arguments);
  }
}
