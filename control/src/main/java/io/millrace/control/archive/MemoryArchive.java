package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Stands for a disk where there is none: it outlives the JobManagers of a simulation. */
public final class MemoryArchive implements ArchiveStore {
  private final ConcurrentNavigableMap<JobId, Bytes> kept = new ConcurrentSkipListMap<>();

  @Override
  public void put(JobId job, Bytes content) {
    kept.put(job, content);
  }

  @Override
  public Optional<Bytes> find(JobId job, int most) throws IOException {
    Optional<Bytes> found = Optional.ofNullable(kept.get(job));
    if (found.isPresent() && found.get().length() > most) {
      throw new IOException(place(job) + " has " + found.get().length() + " bytes");
    }
    return found;
  }

  @Override
  public void remove(JobId job) {
    kept.remove(job);
  }

  @Override
  public List<JobId> list() {
    return new ArrayList<>(kept.keySet());
  }

  @Override
  public String place(JobId job) {
    return "memory, job " + job;
  }
}
