package io.millrace.dataplane.store;

import io.millrace.task.store.KeyValueStore;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A store in sorted maps: what the interface asks for, without a native library, and fast enough
 * for thousands of random operations. It counts what is open.
 */
final class SortedMapStore implements KeyValueStore {
  private static final String FILE = "tables";

  private final Map<String, MapTable> tables = new LinkedHashMap<>();
  private int puts;
  private int openCursors;
  private int openSnapshots;
  private boolean closed;

  SortedMapStore() {}

  /** Continues the files of {@link #checkpoint}, if the directory has some. */
  static SortedMapStore open(Path directory) {
    SortedMapStore store = new SortedMapStore();
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return store;
    }
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      for (int left = in.readInt(); left > 0; left--) {
        MapTable table = store.table(in.readUTF());
        for (int entries = in.readInt(); entries > 0; entries--) {
          byte[] key = in.readNBytes(in.readInt());
          table.put(key, in.readNBytes(in.readInt()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return store;
  }

  /** The number of entries of all tables. */
  int size() {
    return tables.values().stream().mapToInt(table -> table.entries.size()).sum();
  }

  /** The number of entries of a table. */
  int size(String table) {
    return tables.containsKey(table) ? tables.get(table).entries.size() : 0;
  }

  /** How often a value was written, in all tables. */
  int puts() {
    return puts;
  }

  /** Cursors and snapshots that were not closed. */
  int open() {
    return openCursors + openSnapshots;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public MapTable table(String name) {
    return tables.computeIfAbsent(name, absent -> new MapTable());
  }

  @Override
  public List<String> tables() {
    return new ArrayList<>(tables.keySet());
  }

  @Override
  public Snapshot snapshot() {
    Map<Table, NavigableMap<byte[], byte[]>> copies = new LinkedHashMap<>();
    tables.values().forEach(table -> copies.put(table, copy(table.entries)));
    openSnapshots++;
    return new Snapshot() {
      private boolean ended;

      @Override
      public Cursor scan(Table table, byte[] from, byte[] to) {
        if (ended) {
          throw new IllegalStateException("the snapshot is closed");
        }
        return new MapCursor(
            copies.getOrDefault(table, new TreeMap<>(Arrays::compareUnsigned)), from, to);
      }

      @Override
      public void close() {
        if (!ended) {
          ended = true;
          openSnapshots--;
        }
      }
    };
  }

  private static NavigableMap<byte[], byte[]> copy(NavigableMap<byte[], byte[]> entries) {
    NavigableMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
    copy.putAll(entries);
    return copy;
  }

  @Override
  public void checkpoint(Path directory) {
    try {
      Files.createDirectory(directory);
      try (DataOutputStream out =
          new DataOutputStream(Files.newOutputStream(directory.resolve(FILE)))) {
        out.writeInt(tables.size());
        for (Map.Entry<String, MapTable> table : tables.entrySet()) {
          out.writeUTF(table.getKey());
          out.writeInt(table.getValue().entries.size());
          for (Map.Entry<byte[], byte[]> entry : table.getValue().entries.entrySet()) {
            out.writeInt(entry.getKey().length);
            out.write(entry.getKey());
            out.writeInt(entry.getValue().length);
            out.write(entry.getValue());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean isShared(String file) {
    return false;
  }

  @Override
  public void close() {
    closed = true;
  }

  /** A table; what it is given and what it gives are copies, as with a native library. */
  final class MapTable implements Table {
    private final NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);

    @Override
    public Optional<byte[]> get(byte[] key) {
      checkOpen();
      return Optional.ofNullable(entries.get(key)).map(byte[]::clone);
    }

    @Override
    public void put(byte[] key, byte[] value) {
      checkOpen();
      puts++;
      entries.put(key.clone(), value.clone());
    }

    @Override
    public void append(byte[] key, byte[] more) {
      checkOpen();
      entries.merge(key.clone(), more.clone(), SortedMapStore::joined);
    }

    @Override
    public void delete(byte[] key) {
      checkOpen();
      entries.remove(key);
    }

    @Override
    public void deleteRange(byte[] from, byte[] to) {
      checkOpen();
      entries.subMap(from, true, to, false).clear();
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
      checkOpen();
      return new MapCursor(copy(entries.subMap(from, true, to, false)), from, to);
    }

    private void checkOpen() {
      if (closed) {
        throw new IllegalStateException("the store is closed");
      }
    }
  }

  private static byte[] joined(byte[] first, byte[] more) {
    byte[] both = Arrays.copyOf(first, first.length + more.length);
    System.arraycopy(more, 0, both, first.length, more.length);
    return both;
  }

  private final class MapCursor implements Cursor {
    private final Iterator<Map.Entry<byte[], byte[]>> entries;
    private Map.Entry<byte[], byte[]> current;
    private boolean ended;

    MapCursor(NavigableMap<byte[], byte[]> all, byte[] from, byte[] to) {
      openCursors++;
      entries = all.subMap(from, true, to, false).entrySet().iterator();
      next();
    }

    @Override
    public boolean isValid() {
      return current != null;
    }

    @Override
    public byte[] key() {
      return current.getKey().clone();
    }

    @Override
    public byte[] value() {
      return current.getValue().clone();
    }

    @Override
    public void next() {
      current = entries.hasNext() ? entries.next() : null;
    }

    @Override
    public void close() {
      if (!ended) {
        ended = true;
        openCursors--;
      }
    }
  }
}
