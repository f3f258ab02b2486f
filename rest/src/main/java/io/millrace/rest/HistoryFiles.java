package io.millrace.rest;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.protocol.ArchivedJob;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes ended jobs for a history server: a file for each, named by its id, in a directory that may
 * be shared by many clusters. Safe to use from any number of threads, for different jobs.
 */
public final class HistoryFiles {
  private final FileSystem files;
  private final FilePath directory;

  /** Refuses a directory of which no file system is known. */
  public HistoryFiles(FileSystems files, FilePath directory) {
    this.files = files.of(directory);
    this.directory = directory;
  }

  /** Blocks. A file appears when it is whole; writing a job again replaces it. */
  public void write(ArchivedJob job) throws IOException {
    byte[] content = HistoryPages.of(job).getBytes();
    files.createDirectories(directory);
    FilePath draft = directory.child("." + job.job() + ".new");
    // What an attempt that failed has left.
    files.delete(draft);
    try (OutputStream out = files.create(draft)) {
      out.write(content);
    }
    files.replace(draft, directory.child(job.job().toString()));
  }
}
