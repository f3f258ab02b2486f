package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** An archive in memory, which outlives the JobManagers of a simulation. */
public final class MemoryArchive implements ArchiveStore {
  private final ConcurrentNavigableMap<JobId, Bytes> contents = new ConcurrentSkipListMap<>();

  @Override
  public void put(JobId job, Bytes content) {
    contents.put(job, content);
  }

  @Override
  public Optional<Bytes> find(JobId job, int maxBytes) throws IOException {
    Optional<Bytes> found = Optional.ofNullable(contents.get(job));
    if (found.isPresent() && found.get().length() > maxBytes) {
      throw new IOException(place(job) + " has " + found.get().length() + " bytes");
    }
    return found;
  }

  @Override
  public void remove(JobId job) {
    contents.remove(job);
  }

  @Override
  public List<JobId> list() {
    return new ArrayList<>(contents.keySet());
  }

  @Override
  public String place(JobId job) {
    return "memory, job " + job;
  }
}
