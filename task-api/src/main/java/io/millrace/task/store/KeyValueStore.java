package io.millrace.task.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Tables of byte strings, ordered as unsigned bytes. Belongs to the step of one task, except for
 * {@link Snapshot}s, which other threads read. Methods block for disk reads at most.
 */
public interface KeyValueStore extends AutoCloseable {
  /** The table with this name, which is created if there is none. */
  Table table(String name);

  /** The names of all tables. */
  List<String> tables();

  /** All tables as they are now. It needs no copy, and is valid until it is closed. */
  Snapshot snapshot();

  /**
   * Puts everything into files that do not change any more.
   *
   * @param directory does not exist; gets these files, with hard links where possible
   */
  void checkpoint(Path directory);

  /** Whether a file of a checkpoint has the same content in all checkpoints of this store. */
  boolean isShared(String file);

  /** Frees the memory, when the last snapshot is closed. Repeating it has no effect. */
  @Override
  void close();

  /** A table. */
  interface Table {
    Optional<byte[]> get(byte[] key);

    void put(byte[] key, byte[] value);

    /** Adds bytes at the end of a value, without reading it; creates the value if there is none. */
    void append(byte[] key, byte[] more);

    void delete(byte[] key);

    /** Deletes all keys from one to before another. */
    void deleteRange(byte[] from, byte[] to);

    /** The entries from a key to before another, as they are now. */
    Cursor scan(byte[] from, byte[] to);
  }

  /** Reads entries in order. */
  interface Cursor extends AutoCloseable {
    /** Whether there is an entry here. */
    boolean isValid();

    byte[] key();

    byte[] value();

    void next();

    @Override
    void close();
  }

  /** All tables at one moment. Any thread may read it, one at a time. */
  interface Snapshot extends AutoCloseable {
    Cursor scan(Table table, byte[] from, byte[] to);

    /** Repeating it has no effect. */
    @Override
    void close();
  }
}
