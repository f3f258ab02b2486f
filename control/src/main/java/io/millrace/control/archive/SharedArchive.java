package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.SharedDirectory;
import io.millrace.core.id.JobId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The archive on shared storage, with one file per job as in {@link FileArchive}. */
public final class SharedArchive implements ArchiveStore {
  private final SharedDirectory shared;
  private final FilePath directory;

  /**
   * @param name of the subdirectory; created on first use
   */
  public SharedArchive(SharedDirectory shared, String name) {
    this.shared = shared;
    this.directory = shared.child(name);
  }

  @Override
  public void put(JobId job, Bytes content) throws IOException {
    shared.createDirectory(directory);
    shared.write(file(job), new ByteArrayInputStream(content.unsafeArray()));
  }

  @Override
  public Optional<Bytes> find(JobId job, int maxBytes) throws IOException {
    FilePath file = file(job);
    Optional<FileStatus> status = shared.system().status(file);
    if (status.isEmpty()) {
      return Optional.empty();
    }
    if (status.get().isDirectory()) {
      throw new IOException(file + " is not a plain file");
    }
    if (status.get().length() > maxBytes) {
      throw new IOException(
          file + " has " + status.get().length() + " bytes and may have " + maxBytes + " at most");
    }
    try (InputStream in = shared.system().open(file, 0)) {
      return Optional.of(Bytes.wrap(in.readNBytes(maxBytes)));
    } catch (NoSuchFileException removedMeanwhile) {
      return Optional.empty();
    }
  }

  @Override
  public void remove(JobId job) throws IOException {
    shared.remove(file(job));
  }

  @Override
  public List<JobId> list() throws IOException {
    TreeSet<JobId> jobs = new TreeSet<>();
    try {
      for (FileStatus entry : shared.system().list(directory)) {
        FileArchive.job(entry.path().name()).ifPresent(jobs::add);
      }
    } catch (NoSuchFileException notCreated) {
      return List.of();
    }
    return List.copyOf(jobs);
  }

  @Override
  public String place(JobId job) {
    return file(job).toString();
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private FilePath file(JobId job) {
    return directory.child(FileArchive.name(job));
  }
}
