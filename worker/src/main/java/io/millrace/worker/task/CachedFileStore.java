package io.millrace.worker.task;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The local copies of jobs' cached files. A simulation seam. Methods block and are called outside
 * of the mailbox.
 */
public interface CachedFileStore {
  /** For workers whose jobs have no cached files. */
  CachedFileStore NONE =
      new CachedFileStore() {
        @Override
        public String newOwner(JobId job) {
          return job.toString();
        }

        @Override
        public Map<String, Path> fetch(
            String owner, List<JobFile> files, Function<JobFile, Path> travelled) {
          throw new MillraceException(
              ErrorKind.BUG, "This worker has no directory for the cached files of a job");
        }

        @Override
        public void delete(String owner) {}
      };

  /**
   * Names an owner of copies. Each call gives another name: a job may be deployed again before the
   * copies of its earlier deployment are deleted.
   */
  String newOwner(JobId job);

  /**
   * Fetches files and returns their local copies, by name.
   *
   * @param owner for {@link #delete}
   * @param travelled finds a file that came with the job
   */
  Map<String, Path> fetch(String owner, List<JobFile> files, Function<JobFile, Path> travelled)
      throws IOException;

  /** Deletes the copies of an owner, if there are any. */
  void delete(String owner) throws IOException;

  /**
   * Copies in a directory that is created on first use and that no other process uses.
   *
   * @param files the file systems that files are read from
   */
  static CachedFileStore inDirectory(Path directory, FileSystems files) {
    return new CachedFileDirectory(directory, files);
  }
}
