package io.millrace.sim.cluster;

import io.millrace.control.archive.ArchiveStore;
import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * An archive that several JobManagers share. Only the JobManager that became the leader last may
 * change it.
 */
record FencedSimArchive(ArchiveStore shared, BooleanSupplier leads) implements ArchiveStore {
  @Override
  public void put(JobId job, Bytes content) throws IOException {
    checkLeads();
    shared.put(job, content);
  }

  @Override
  public Optional<Bytes> find(JobId job, int most) throws IOException {
    return shared.find(job, most);
  }

  @Override
  public void remove(JobId job) throws IOException {
    checkLeads();
    shared.remove(job);
  }

  @Override
  public List<JobId> list() throws IOException {
    return shared.list();
  }

  @Override
  public String place(JobId job) {
    return shared.place(job);
  }

  private void checkLeads() throws IOException {
    if (!leads.getAsBoolean()) {
      throw new IOException("Another JobManager leads and has taken the archive over");
    }
  }
}
