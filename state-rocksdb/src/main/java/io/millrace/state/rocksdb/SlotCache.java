package io.millrace.state.rocksdb;

import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.WriteBufferManager;

/**
 * The managed memory of a slot: a block cache, from which write buffers are taken, too. All
 * databases of the slot share it. RocksDB may exceed the limit of write buffers by a half before
 * writes wait; with this split both together stay within the memory.
 */
final class SlotCache implements AutoCloseable {
  /** Less than this is filled by the write buffers of a few tables alone. */
  static final long LEAST_BYTES = 16L << 20;

  private static final int SHARD_BITS = 2;

  /** The share of the cache for indexes and filters, which are needed more often than data. */
  private static final double HIGH_PRIORITY = 0.1;

  private final Cache blocks;
  private final WriteBufferManager writeBuffers;
  private final long writeBufferBytes;

  SlotCache(long bytes) {
    // Half of the memory for write buffers: a third as their limit, a sixth for exceeding it.
    writeBufferBytes = bytes / 3;
    blocks = new LRUCache(bytes - bytes / 6, SHARD_BITS, false, HIGH_PRIORITY);
    writeBuffers = new WriteBufferManager(writeBufferBytes, blocks);
  }

  Cache blocks() {
    return blocks;
  }

  WriteBufferManager writeBuffers() {
    return writeBuffers;
  }

  /** The limit of all write buffers together. */
  long writeBufferBytes() {
    return writeBufferBytes;
  }

  @Override
  public void close() {
    writeBuffers.close();
    blocks.close();
  }
}
