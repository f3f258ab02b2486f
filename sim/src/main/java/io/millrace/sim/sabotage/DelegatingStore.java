package io.millrace.sim.sabotage;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import java.util.List;
import java.util.Optional;

/** Delegates to another store. */
class DelegatingStore implements HaStore {
  private final HaStore real;

  DelegatingStore(HaStore real) {
    this.real = real;
  }

  @Override
  public Optional<Versioned> read(String key) {
    return real.read(key);
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    return real.write(key, value, expectedVersion, term);
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    real.delete(key, expectedVersion, term);
  }

  @Override
  public List<String> list(String prefix) {
    return real.list(prefix);
  }
}
