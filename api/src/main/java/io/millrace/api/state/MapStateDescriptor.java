package io.millrace.api.state;

/** Describes a {@link MapState}. */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record MapStateDescriptor<K, V>(String name) implements StateDescriptor {
  public MapStateDescriptor {
    StateNameChecks.check(name);
  }
}
