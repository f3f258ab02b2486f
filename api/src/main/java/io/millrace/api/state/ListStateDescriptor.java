package io.millrace.api.state;

/** Describes a {@link ListState}. */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record ListStateDescriptor<T>(String name) implements StateDescriptor {
  public ListStateDescriptor {
    StateNameChecks.check(name);
  }
}
