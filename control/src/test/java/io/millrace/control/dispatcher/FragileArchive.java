package io.millrace.control.dispatcher;

import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.archive.MemoryArchive;
import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Fails a given number of writes and counts reads. */
final class FragileArchive implements ArchiveStore {
  private final MemoryArchive inner = new MemoryArchive();
  int failures;
  int reads;

  @Override
  public void put(JobId job, Bytes content) throws IOException {
    if (failures > 0) {
      failures--;
      throw new IOException("No space left on device");
    }
    inner.put(job, content);
  }

  @Override
  public Optional<Bytes> find(JobId job, int maxBytes) throws IOException {
    reads++;
    return inner.find(job, maxBytes);
  }

  @Override
  public void remove(JobId job) {
    inner.remove(job);
  }

  @Override
  public List<JobId> list() {
    return inner.list();
  }

  @Override
  public String place(JobId job) {
    return inner.place(job);
  }
}
