package io.millrace.api.state;

/** Names a single value a key. */
public record ValueStateDescriptor<T>(String name) implements StateDescriptor {
  public ValueStateDescriptor {
    StateNames.check(name);
  }
}
