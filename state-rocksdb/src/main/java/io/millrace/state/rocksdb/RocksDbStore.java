package io.millrace.state.rocksdb;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.task.store.KeyValueStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.WriteOptions;

/**
 * A database. Each table is a range of its keys, which begin with the number of the table. Column
 * families would have write buffers of their own, and each would take several synchronous writes to
 * create.
 */
final class RocksDbStore implements KeyValueStore {
  /** Keys that begin with it are the names of tables; their values are the numbers. */
  private static final byte[] NAMES = {0};

  private static final byte[] AFTER_NAMES = {1};

  /** Lower numbers take one byte, others two. */
  private static final int ONE_BYTE = 0x80;

  private static final int MOST_TABLES = ONE_BYTE << 8;

  /** Most reads are of one key, and most of the state is not in the cache. */
  private static final int BLOCK_BYTES = 4 << 10;

  private static final double FILTER_BITS = 10;
  private static final long LARGEST_WRITE_BUFFER = 64L << 20;
  private static final long SMALLEST_ARENA = 64L << 10;
  private static final long LARGEST_ARENA = 1L << 20;

  private final RocksDB database;
  private final List<AutoCloseable> resources;
  private final WriteOptions writes;
  private final BlobGarbageCollection garbage;
  private final Map<String, RocksDbTable> tables = new LinkedHashMap<>();
  private final Runnable whenClosed;

  /** The task, and the snapshots that are read. The last one closes the database. */
  private int users = 1;

  private boolean closed;

  private RocksDbStore(
      RocksDB database,
      ColumnFamilyHandle family,
      List<AutoCloseable> resources,
      WriteOptions writes,
      Runnable whenClosed) {
    this.database = database;
    this.garbage = new BlobGarbageCollection(database, family);
    this.resources = resources;
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
          .setCompressionType(CompressionType.LZ4_COMPRESSION)
          .setWriteBufferSize(
              Math.min(LARGEST_WRITE_BUFFER, Math.max(1 << 20, cache.writeBufferBytes() / 2)))
          .setArenaBlockSize(
              Math.min(LARGEST_ARENA, Math.max(SMALLEST_ARENA, cache.writeBufferBytes() / 64)))
          .setTableFormatConfig(
              new BlockBasedTableConfig()
                  .setBlockCache(cache.blocks())
                  .setBlockSize(BLOCK_BYTES)
                  .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
                  .setFilterPolicy(filter)
                  .setCacheIndexAndFilterBlocks(true)
                  .setCacheIndexAndFilterBlocksWithHighPriority(true)
                  .setPinL0FilterAndIndexBlocksInCache(true));
      BlobGarbageCollection.configure(tableOptions);
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
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      RocksDB database =
          RocksDB.open(
              options,
              directory.toString(),
              List.of(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, tableOptions)),
              handles);
      resources.add(0, memory);
      resources.add(database);
      resources.addAll(handles);
      RocksDbStore store =
          new RocksDbStore(database, handles.get(0), resources, writes, whenClosed);
      store.readNames();
      return store;
    } catch (RocksDBException | RuntimeException e) {
      // Blocks are verified when they are read: damage may show only when the names are.
      closeAll(resources);
      throw e;
    }
  }

  private void readNames() {
    try (RocksDbCursor cursor = new RocksDbCursor(0, new ReadOptions(), NAMES, AFTER_NAMES)) {
      for (; cursor.isValid(); cursor.next()) {
        byte[] key = cursor.key();
        tables.put(
            new String(key, NAMES.length, key.length - NAMES.length, StandardCharsets.UTF_8),
            new RocksDbTable(cursor.value()));
      }
    }
  }

  private static <R extends AutoCloseable> R add(List<AutoCloseable> resources, R resource) {
    resources.add(resource);
    return resource;
  }

  @Override
  public Table table(String name) {
    RocksDbTable known = tables.get(name);
    if (known != null) {
      return known;
    }
    int number = tables.size() + 1;
    if (number >= MOST_TABLES) {
      throw new MillraceException(
          ErrorKind.USER, "An operator has " + number + " states, which are too many for RocksDB");
    }
    byte[] prefix =
        number < ONE_BYTE
            ? new byte[] {(byte) number}
            : new byte[] {(byte) (ONE_BYTE | number >> 8), (byte) number};
    try {
      database.put(writes, prefixed(NAMES, name.getBytes(StandardCharsets.UTF_8)), prefix);
    } catch (RocksDBException e) {
      throw failed(e);
    }
    RocksDbTable created = new RocksDbTable(prefix);
    tables.put(name, created);
    return created;
  }

  @Override
  public List<String> tables() {
    return List.copyOf(tables.keySet());
  }

  private static byte[] prefixed(byte[] prefix, byte[] key) {
    byte[] whole = new byte[prefix.length + key.length];
    System.arraycopy(prefix, 0, whole, 0, prefix.length);
    System.arraycopy(key, 0, whole, prefix.length, key.length);
    return whole;
  }

  private static MillraceException failed(RocksDBException cause) {
    return new MillraceException(ErrorKind.EXTERNAL, "RocksDB: " + cause.getMessage(), cause);
  }

  @Override
  public void checkpoint(Path directory) {
    try (Checkpoint checkpoint = Checkpoint.create(database)) {
      checkpoint.createCheckpoint(directory.toString());
      garbage.decide();
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean isShared(String file) {
    return file.endsWith(".sst") || file.endsWith(".blob");
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

  /** The keys with a prefix. */
  private final class RocksDbTable implements Table {
    private final byte[] prefix;

    RocksDbTable(byte[] prefix) {
      this.prefix = prefix;
    }

    private byte[] whole(byte[] key) {
      return prefixed(prefix, key);
    }

    @Override
    public Optional<byte[]> get(byte[] key) {
      try {
        return Optional.ofNullable(database.get(whole(key)));
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void put(byte[] key, byte[] value) {
      try {
        database.put(writes, whole(key), value);
        garbage.written(value.length);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void append(byte[] key, byte[] more) {
      try {
        database.merge(writes, whole(key), more);
        garbage.written(more.length);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void delete(byte[] key) {
      try {
        database.delete(writes, whole(key));
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void deleteRange(byte[] from, byte[] to) {
      try {
        database.deleteRange(writes, whole(from), whole(to));
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
      return scan(new ReadOptions(), from, to);
    }

    Cursor scan(ReadOptions reads, byte[] from, byte[] to) {
      return new RocksDbCursor(prefix.length, reads, whole(from), whole(to));
    }
  }

  private final class RocksDbCursor implements Cursor {
    private final int prefix;
    private final ReadOptions reads;
    private final Slice end;
    private final RocksIterator iterator;
    private boolean isOpen = true;

    /**
     * @param prefix the length of the prefix that keys are returned without
     */
    RocksDbCursor(int prefix, ReadOptions reads, byte[] from, byte[] to) {
      this.prefix = prefix;
      this.reads = reads;
      this.end = new Slice(to);
      reads.setIterateUpperBound(end);
      this.iterator = database.newIterator(reads);
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
      byte[] whole = iterator.key();
      return prefix == 0 ? whole : Arrays.copyOfRange(whole, prefix, whole.length);
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
      return ((RocksDbTable) table)
          .scan(new ReadOptions().setSnapshot(snapshot).setFillCache(false), from, to);
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
