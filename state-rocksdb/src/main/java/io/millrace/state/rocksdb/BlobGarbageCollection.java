package io.millrace.state.rocksdb;

import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Large values are in blob files, which compactions do not rewrite: an update of a value costs the
 * value and an entry of the index, whatever the size of the state, and a checkpoint has to store
 * little more than what changed. Replaced values stay in their files as garbage. While garbage
 * collection is on, each compaction moves the values of the oldest files that it meets to new
 * files, replaced or not. So it is on only while it is worth it: while much of the files is
 * garbage, or while there are many small files, one of each checkpoint.
 */
final class BlobGarbageCollection {
  /** Smaller values stay with their keys. */
  static final int SMALLEST_BLOB = 512;

  /** The garbage of all files, as a share of their size, from which on it is collected. */
  private static final double MOST_GARBAGE = 0.4;

  /** The share of the files that a compaction looks at, the oldest ones. */
  private static final double OLDEST = 0.25;

  /** So many files are never too many. */
  private static final int FEW_FILES = 64;

  /** Files that are smaller on average are merged. */
  private static final long SMALL_FILE_BYTES = 4L << 20;

  /** How much is written until the files are looked at again. */
  private static final long INTERVAL_BYTES = 32L << 20;

  private final RocksDB database;
  private final ColumnFamilyHandle family;
  private long written;
  private boolean on;

  BlobGarbageCollection(RocksDB database, ColumnFamilyHandle family) {
    this.database = database;
    this.family = family;
  }

  static void configure(ColumnFamilyOptions options) {
    options
        .setEnableBlobFiles(true)
        .setMinBlobSize(SMALLEST_BLOB)
        .setBlobGarbageCollectionAgeCutoff(OLDEST);
  }

  /** A value, or a part of one, was written. */
  void written(int bytes) throws RocksDBException {
    written += bytes;
    if (written >= INTERVAL_BYTES) {
      decide();
    }
  }

  /** Turns collection on or off, as the files of the database demand. */
  void decide() throws RocksDBException {
    written = 0;
    long files = number("rocksdb.num-blob-files");
    long size = number("rocksdb.live-blob-file-size");
    long garbage = number("rocksdb.live-blob-file-garbage-size");
    boolean wanted = isWorthIt(files, size, garbage);
    if (wanted != on) {
      database.setOptions(
          family,
          MutableColumnFamilyOptions.builder().setEnableBlobGarbageCollection(wanted).build());
      on = wanted;
    }
  }

  static boolean isWorthIt(long files, long size, long garbage) {
    return garbage > MOST_GARBAGE * size || files > FEW_FILES && size / files < SMALL_FILE_BYTES;
  }

  private long number(String property) throws RocksDBException {
    return database.getLongProperty(family, property);
  }
}
