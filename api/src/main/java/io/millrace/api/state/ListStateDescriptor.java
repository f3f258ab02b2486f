package io.millrace.api.state;

/** Names a list a key. */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record ListStateDescriptor<T>(String name) implements StateDescriptor {
  public ListStateDescriptor {
    StateNameChecks.check(name);
  }
}
