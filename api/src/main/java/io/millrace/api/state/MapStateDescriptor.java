package io.millrace.api.state;

/** Names a map a key. */
public record MapStateDescriptor<K, V>(String name) implements StateDescriptor {
  public MapStateDescriptor {
    StateNames.check(name);
  }
}
