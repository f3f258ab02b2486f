package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Keeps what is told of ended jobs, each under its id. A simulation seam. Every method may block
 * and be called by any number of threads at once; one job has one writer at a time.
 */
public interface ArchiveStore {
  /** Keeps the content, all of it or none, in place of what was kept of the job before. */
  void put(JobId job, Bytes content) throws IOException;

  /**
   * @param most an error where there is more than that
   */
  Optional<Bytes> find(JobId job, int most) throws IOException;

  /** Removes what is kept of a job; nothing may be there. */
  void remove(JobId job) throws IOException;

  /** The jobs of which something is kept, in the order of their ids. */
  List<JobId> list() throws IOException;

  /** Where something is kept of a job, for people to look. */
  String place(JobId job);
}
