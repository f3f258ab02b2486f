package io.millrace.control.archive;

import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Archived jobs in memory, up to a number of bytes. Evicts the least recently used. Confined to one
 * mailbox.
 */
final class ArchiveCache {
  private final long capacity;

  /** In order of access, least recently used first. */
  private final Map<JobId, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  private record Entry(ArchivedJob archived, int bytes) {}

  ArchiveCache(long capacity) {
    this.capacity = capacity;
  }

  /**
   * @param size bytes of the encoded job
   */
  void put(ArchivedJob archived, int size) {
    remove(archived.job());
    if (size > capacity) {
      return;
    }
    entries.put(archived.job(), new Entry(archived, size));
    bytes += size;
    Iterator<Entry> oldest = entries.values().iterator();
    while (bytes > capacity) {
      bytes -= oldest.next().bytes();
      oldest.remove();
    }
  }

  Optional<ArchivedJob> find(JobId job) {
    return Optional.ofNullable(entries.get(job)).map(Entry::archived);
  }

  void remove(JobId job) {
    Entry removed = entries.remove(job);
    if (removed != null) {
      bytes -= removed.bytes();
    }
  }
}
