package io.millrace.api.state;

/** Names a single value a key. */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record ValueStateDescriptor<T>(String name) implements StateDescriptor {
  public ValueStateDescriptor {
    StateNameChecks.check(name);
  }
}
