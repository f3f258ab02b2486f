package io.millrace.core.config;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.BindException;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The ports that a server may bind, and the option that they come from.
 *
 * @param option errors name it
 * @param advertised the port under which others reach the server, if it is not the bound one
 */
public record BindPorts(String option, PortRange range, OptionalInt advertised) {
  /** Listens on a port. */
  @FunctionalInterface
  public interface Attempt<T> {
    T listen(int port) throws IOException;
  }

  public BindPorts {
    Objects.requireNonNull(option);
    Objects.requireNonNull(range);
    Objects.requireNonNull(advertised);
  }

  public static BindPorts of(Option<PortRange> option, PortRange range) {
    return new BindPorts(option.key(), range, OptionalInt.empty());
  }

  /** The ports of an option; others reach the server at the bound one. */
  public static BindPorts of(Configuration configuration, Option<PortRange> port) {
    return of(port, configuration.get(port));
  }

  /**
   * The ports of the option for binding, if it is set. Others then reach the server at the port of
   * the other option, if that names one; for example a port that is forwarded to the bound one.
   */
  public static BindPorts of(
      Configuration configuration, Option<PortRange> bindPort, Option<PortRange> port) {
    if (!configuration.contains(bindPort)) {
      return of(configuration, port);
    }
    return new BindPorts(
        bindPort.key(),
        configuration.get(bindPort),
        configuration.contains(port) ? configuration.get(port).single() : OptionalInt.empty());
  }

  /** The port under which others reach a server. */
  public int advertised(int bound) {
    return advertised.orElse(bound);
  }

  /** Listens on the first port that is free. */
  public <T> T bind(String host, Attempt<T> attempt) {
    Throwable last = null;
    for (int port : range.ports()) {
      try {
        return attempt.listen(port);
      } catch (IOException e) {
        if (!isTaken(e)) {
          throw new MillraceException(
              ErrorKind.EXTERNAL,
              "Cannot listen on "
                  + host
                  + ":"
                  + port
                  + " ("
                  + option
                  + "): "
                  + Failure.sentence(root(e)),
              e);
        }
        last = e;
      }
    }
    throw exhausted(host, last);
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && !(root instanceof BindException)) {
      root = root.getCause();
    }
    return root;
  }

  /** Whether another port may be free. */
  public static boolean isTaken(Throwable failure) {
    return root(failure) instanceof BindException;
  }

  /**
   * No port could be bound.
   *
   * @param last the failure of the last port
   */
  public MillraceException exhausted(String host, Throwable last) {
    String cause = root(last).getMessage();
    return new MillraceException(
        ErrorKind.USER,
        range.ports().size() == 1
            ? "Cannot listen on "
                + host
                + ":"
                + range
                + " ("
                + option
                + "): "
                + cause
                + ". End the process that holds the port, or set "
                + option
                + " to another port, to a range such as 50100-50200, or to 0 for any free port."
            : "None of the "
                + range.ports().size()
                + " ports "
                + range
                + " ("
                + option
                + ") can be bound at "
                + host
                + ": "
                + cause
                + ". Set "
                + option
                + " to a larger range, or to 0 for any free port.",
        last);
  }
}
