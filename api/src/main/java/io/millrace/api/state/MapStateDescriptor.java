package io.millrace.api.state;

/** Names a map a key. */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record MapStateDescriptor<K, V>(String name) implements StateDescriptor {
  public MapStateDescriptor {
    StateNameChecks.check(name);
  }
}
