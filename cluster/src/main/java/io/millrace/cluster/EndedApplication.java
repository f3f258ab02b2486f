package io.millrace.cluster;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * The record that a cluster has ended for good, for standby JobManagers that are elected
 * afterwards: they end, too, instead of running the application again. Blocks like the store.
 *
 * @param endedAt in milliseconds since the epoch. A JobManager that was started later belongs to a
 *     new cluster with the same id.
 */
record EndedApplication(long endedAt, ApplicationOutcome outcome) {
  static final String KEY = "application";

  EndedApplication {
    Objects.requireNonNull(outcome);
  }

  void put(HaStore store) {
    Bytes value = Bytes.utf8(endedAt + "\n" + outcome.code() + "\n" + outcome.reason());
    store.write(
        KEY,
        value,
        store.read(KEY).map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        Long.MAX_VALUE);
  }

  /**
   * @param startedAt when the process that asks was started
   */
  static Optional<ApplicationOutcome> find(HaStore store, long startedAt) {
    return store
        .read(KEY)
        .map(found -> decode(found.value()))
        .filter(ended -> ended.endedAt() >= startedAt)
        .map(EndedApplication::outcome);
  }

  private static EndedApplication decode(Bytes value) {
    String[] lines = new String(value.toArray(), StandardCharsets.UTF_8).split("\n", 3);
    if (lines.length != 3) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The stored outcome of the application cannot be parsed.");
    }
    return new EndedApplication(
        Long.parseLong(lines[0]), new ApplicationOutcome(ExitCode.valueOf(lines[1]), lines[2]));
  }

  static void remove(HaStore store) {
    store.read(KEY).ifPresent(found -> store.delete(KEY, found.version(), Long.MAX_VALUE));
  }
}
