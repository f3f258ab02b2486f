package io.millrace.api.state;

/** Names a list a key. */
public record ListStateDescriptor<T>(String name) implements StateDescriptor {
  public ListStateDescriptor {
    StateNames.check(name);
  }
}
