package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Stores archived jobs by job id. A simulation seam. Methods may block. Any number of threads may
 * call them at once; there is one writer per job at a time.
 */
public interface ArchiveStore {
  /** Stores the content atomically and replaces an earlier value of the job. */
  void put(JobId job, Bytes content) throws IOException;

  /**
   * @param maxBytes throws if the stored content is larger
   */
  Optional<Bytes> find(JobId job, int maxBytes) throws IOException;

  /** Removes the stored content of a job. Does nothing if there is none. */
  void remove(JobId job) throws IOException;

  /** The jobs with stored content, in the order of their ids. */
  List<JobId> list() throws IOException;

  /** The location of a job's content, for messages. */
  String place(JobId job);
}
