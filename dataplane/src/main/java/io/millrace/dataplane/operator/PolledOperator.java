package io.millrace.dataplane.operator;

import io.millrace.api.source.PollingReader;
import java.util.Optional;

/** The head of a chain that creates records by itself. Its task polls it. */
public abstract class PolledOperator extends StreamOperator {
  /** Emits at most {@code limit} records without blocking. */
  public abstract PollingReader.Status poll(int limit);

  /** The position of the record that the chain processes; empty outside of a poll. */
  public Optional<String> position() {
    return Optional.empty();
  }

  /** The input is complete: no split follows. Called at least once if the operator has an input. */
  public void inputEnded() {}
}
