package io.millrace.state.rocksdb;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.task.store.KeyValueStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.WriteOptions;

/** A database. Each table is a column family. */
final class RocksDbStore implements KeyValueStore {
  private static final int BLOCK_BYTES = 16 << 10;
  private static final double FILTER_BITS = 10;
  private static final long LARGEST_WRITE_BUFFER = 64L << 20;
  private static final long SMALLEST_ARENA = 64L << 10;
  private static final long LARGEST_ARENA = 1L << 20;

  private final RocksDB database;
  private final List<AutoCloseable> resources;
  private final ColumnFamilyOptions tableOptions;
  private final WriteOptions writes;
  private final Map<String, RocksDbTable> tables = new LinkedHashMap<>();
  private final Runnable whenClosed;

  /** The task, and the snapshots that are read. The last one closes the database. */
  private int users = 1;

  private boolean closed;

  private RocksDbStore(
      RocksDB database,
      List<AutoCloseable> resources,
      ColumnFamilyOptions tableOptions,
      WriteOptions writes,
      Runnable whenClosed) {
    this.database = database;
    this.resources = resources;
    this.tableOptions = tableOptions;
    this.writes = writes;
    this.whenClosed = whenClosed;
  }

  static RocksDbStore open(Path directory, ManagedMemory.Use<SlotCache> memory, Runnable whenClosed)
      throws RocksDBException {
    SlotCache cache = memory.resource();
    List<AutoCloseable> resources = new ArrayList<>();
    try {
      BloomFilter filter = add(resources, new BloomFilter(FILTER_BITS));
      StringAppendOperator append = add(resources, new StringAppendOperator(""));
      ColumnFamilyOptions tableOptions = add(resources, new ColumnFamilyOptions());
      tableOptions
          .setMergeOperator(append)
          .setWriteBufferSize(
              Math.min(LARGEST_WRITE_BUFFER, Math.max(1 << 20, cache.writeBufferBytes() / 2)))
          .setArenaBlockSize(
              Math.min(LARGEST_ARENA, Math.max(SMALLEST_ARENA, cache.writeBufferBytes() / 64)))
          .setTableFormatConfig(
              new BlockBasedTableConfig()
                  .setBlockCache(cache.blocks())
                  .setBlockSize(BLOCK_BYTES)
                  .setFilterPolicy(filter)
                  .setCacheIndexAndFilterBlocks(true)
                  .setCacheIndexAndFilterBlocksWithHighPriority(true)
                  .setPinL0FilterAndIndexBlocksInCache(true));
      WriteOptions writes = add(resources, new WriteOptions());
      // A checkpoint has everything that is needed after a failure.
      writes.setDisableWAL(true);
      DBOptions options = add(resources, new DBOptions());
      options
          .setCreateIfMissing(true)
          .setWriteBufferManager(cache.writeBuffers())
          .setMaxOpenFiles(-1)
          .setMaxBackgroundJobs(2)
          .setAvoidFlushDuringShutdown(true)
          .setStatsDumpPeriodSec(0)
          .setInfoLogLevel(InfoLogLevel.HEADER_LEVEL)
          .setKeepLogFileNum(1)
          .setUseFsync(false);
      List<byte[]> names = namesIn(directory);
      List<ColumnFamilyDescriptor> families = new ArrayList<>();
      names.forEach(name -> families.add(new ColumnFamilyDescriptor(name, tableOptions)));
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      RocksDB database = RocksDB.open(options, directory.toString(), families, handles);
      resources.add(0, memory);
      RocksDbStore store = new RocksDbStore(database, resources, tableOptions, writes, whenClosed);
      for (int i = 0; i < names.size(); i++) {
        store.add(new String(names.get(i), StandardCharsets.UTF_8), handles.get(i));
      }
      return store;
    } catch (RocksDBException e) {
      closeAll(resources);
      throw e;
    }
  }

  private static List<byte[]> namesIn(Path directory) throws RocksDBException {
    List<byte[]> names = new ArrayList<>();
    if (directory.resolve("CURRENT").toFile().exists()) {
      try (Options options = new Options()) {
        names.addAll(RocksDB.listColumnFamilies(options, directory.toString()));
      }
    }
    return names.isEmpty() ? List.of(RocksDB.DEFAULT_COLUMN_FAMILY) : names;
  }

  private static <R extends AutoCloseable> R add(List<AutoCloseable> resources, R resource) {
    resources.add(resource);
    return resource;
  }

  private RocksDbTable add(String name, ColumnFamilyHandle handle) {
    RocksDbTable table = new RocksDbTable(handle);
    tables.put(name, table);
    return table;
  }

  @Override
  public Table table(String name) {
    RocksDbTable known = tables.get(name);
    if (known != null) {
      return known;
    }
    try {
      return add(
          name,
          database.createColumnFamily(
              new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.UTF_8), tableOptions)));
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public List<String> tables() {
    List<String> names = new ArrayList<>(tables.keySet());
    names.remove(new String(RocksDB.DEFAULT_COLUMN_FAMILY, StandardCharsets.UTF_8));
    return names;
  }

  private static MillraceException failed(RocksDBException cause) {
    return new MillraceException(ErrorKind.EXTERNAL, "RocksDB: " + cause.getMessage(), cause);
  }

  @Override
  public void checkpoint(Path directory) {
    try (Checkpoint checkpoint = Checkpoint.create(database)) {
      checkpoint.createCheckpoint(directory.toString());
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean isShared(String file) {
    return file.endsWith(".sst");
  }

  @Override
  public Snapshot snapshot() {
    synchronized (this) {
      users++;
    }
    return new RocksDbSnapshot(database.getSnapshot());
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    left();
  }

  private void left() {
    synchronized (this) {
      if (--users > 0) {
        return;
      }
    }
    tables.values().forEach(table -> table.handle.close());
    database.close();
    closeAll(resources);
    whenClosed.run();
  }

  /** In the reverse order. */
  private static void closeAll(List<AutoCloseable> resources) {
    for (int i = resources.size() - 1; i >= 0; i--) {
      try {
        resources.get(i).close();
      } catch (Exception e) {
        throw new IllegalStateException("RocksDB cannot be closed", e);
      }
    }
  }

  /** A column family. */
  private final class RocksDbTable implements Table {
    private final ColumnFamilyHandle handle;

    RocksDbTable(ColumnFamilyHandle handle) {
      this.handle = handle;
    }

    @Override
    public Optional<byte[]> get(byte[] key) {
      try {
        return Optional.ofNullable(database.get(handle, key));
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void put(byte[] key, byte[] value) {
      try {
        database.put(handle, writes, key, value);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void append(byte[] key, byte[] more) {
      try {
        database.merge(handle, writes, key, more);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void delete(byte[] key) {
      try {
        database.delete(handle, writes, key);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void deleteRange(byte[] from, byte[] to) {
      try {
        database.deleteRange(handle, writes, from, to);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
      return new RocksDbCursor(handle, new ReadOptions(), from, to);
    }
  }

  private final class RocksDbCursor implements Cursor {
    private final ReadOptions reads;
    private final Slice end;
    private final RocksIterator iterator;
    private boolean isOpen = true;

    RocksDbCursor(ColumnFamilyHandle handle, ReadOptions reads, byte[] from, byte[] to) {
      this.reads = reads;
      this.end = new Slice(to);
      reads.setIterateUpperBound(end);
      this.iterator = database.newIterator(handle, reads);
      iterator.seek(from);
    }

    @Override
    public boolean isValid() {
      if (iterator.isValid()) {
        return true;
      }
      try {
        iterator.status();
      } catch (RocksDBException e) {
        throw failed(e);
      }
      return false;
    }

    @Override
    public byte[] key() {
      return iterator.key();
    }

    @Override
    public byte[] value() {
      return iterator.value();
    }

    @Override
    public void next() {
      iterator.next();
    }

    @Override
    public void close() {
      if (isOpen) {
        isOpen = false;
        iterator.close();
        reads.close();
        end.close();
      }
    }
  }

  private final class RocksDbSnapshot implements Snapshot {
    private final org.rocksdb.Snapshot snapshot;
    private boolean isOpen = true;

    RocksDbSnapshot(org.rocksdb.Snapshot snapshot) {
      this.snapshot = snapshot;
    }

    @Override
    public Cursor scan(Table table, byte[] from, byte[] to) {
      return new RocksDbCursor(
          ((RocksDbTable) table).handle,
          new ReadOptions().setSnapshot(snapshot).setFillCache(false),
          from,
          to);
    }

    @Override
    public void close() {
      synchronized (this) {
        if (!isOpen) {
          return;
        }
        isOpen = false;
      }
      database.releaseSnapshot(snapshot);
      snapshot.close();
      left();
    }
  }
}
