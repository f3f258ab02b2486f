package io.millrace.dataplane.state;

import java.util.Objects;

/**
 * A keyed state of an operator.
 *
 * @param namespaced whether an entry belongs to a window, that is to a start and an end
 */
public record StateInfo(String name, StateKind kind, boolean namespaced) {
  public StateInfo {
    Objects.requireNonNull(name);
    Objects.requireNonNull(kind);
  }
}
