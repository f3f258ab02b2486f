package io.millrace.rest;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.protocol.ArchivedJob;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes one file per ended job for a history server. The file is named by the id of the job; many
 * clusters may share the directory. Thread-safe for different jobs.
 */
public final class HistoryFiles {
  private final FileSystem files;
  private final FilePath directory;

  /** Fails if no file system serves the directory. */
  public HistoryFiles(FileSystems files, FilePath directory) {
    this.files = files.of(directory);
    this.directory = directory;
  }

  /** Blocks. The file appears when it is complete; a second write of a job replaces it. */
  public void write(ArchivedJob job) throws IOException {
    byte[] content = ArchivedResponses.of(job).getBytes();
    files.createDirectories(directory);
    FilePath temporary = directory.child("." + job.job() + ".new");
    // A failed attempt may have left it.
    files.delete(temporary);
    try (OutputStream out = files.create(temporary)) {
      out.write(content);
    }
    files.replace(temporary, directory.child(job.job().toString()));
  }
}
