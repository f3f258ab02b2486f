package io.millrace.api.state;

/** Describes a {@link ValueState}. */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record ValueStateDescriptor<T>(String name) implements StateDescriptor {
  public ValueStateDescriptor {
    StateNameChecks.check(name);
  }
}
