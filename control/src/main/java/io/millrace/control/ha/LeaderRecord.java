package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The address of the JobManager that owns the store, for processes that do not know it or cannot
 * reach it. Blocks like the store.
 *
 * @param rpc host and port for TaskManagers
 * @param rest host and port for clients
 */
public record LeaderRecord(String rpc, String rest) {
  private static final String KEY = "leader";

  public LeaderRecord {
    Objects.requireNonNull(rpc);
    Objects.requireNonNull(rest);
  }

  /** Stores the address in the newest reserved term. */
  public void publish(HaStore store) {
    Optional<HaStore.Versioned> before = store.read(KEY);
    store.write(
        KEY,
        encode(),
        before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        TermCounter.newest(store));
  }

  /**
   * Reads the stored address without opening the store, which the JobManager owns.
   *
   * @param store the directory of a {@link FileHaStore} or {@link FencedHaStore}
   */
  public static Optional<LeaderRecord> read(FileSystem system, FilePath store) throws IOException {
    return FencedHaStore.read(system, store, KEY).map(LeaderRecord::decode);
  }

  public Bytes encode() {
    return Bytes.utf8(rpc + "\n" + rest + "\n");
  }

  /** An empty value names no leader. */
  public static Optional<LeaderRecord> find(Bytes value) {
    return value.length() == 0 ? Optional.empty() : Optional.of(decode(value));
  }

  public static LeaderRecord decode(Bytes value) {
    List<String> lines = new String(value.unsafeArray(), StandardCharsets.UTF_8).lines().toList();
    if (lines.size() != 2) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The stored address of the JobManager cannot be parsed.");
    }
    return new LeaderRecord(lines.get(0), lines.get(1));
  }
}
