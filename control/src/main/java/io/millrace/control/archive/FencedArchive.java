package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.id.JobId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** One file a job, as in a {@link FileArchive}, on storage that many machines see. */
public final class FencedArchive implements ArchiveStore {
  private final FencedDirectory owned;
  private final FilePath directory;

  /**
   * @param name of the directory in the one that this process has taken; made when it is needed
   */
  public FencedArchive(FencedDirectory owned, String name) {
    this.owned = owned;
    this.directory = owned.child(name);
  }

  @Override
  public void put(JobId job, Bytes content) throws IOException {
    owned.createDirectory(directory);
    owned.write(file(job), new ByteArrayInputStream(content.unsafeArray()));
  }

  @Override
  public Optional<Bytes> find(JobId job, int most) throws IOException {
    FilePath file = file(job);
    Optional<FileStatus> there = owned.system().status(file);
    if (there.isEmpty()) {
      return Optional.empty();
    }
    if (there.get().isDirectory()) {
      throw new IOException(file + " is not a plain file");
    }
    if (there.get().length() > most) {
      throw new IOException(
          file + " has " + there.get().length() + " bytes and may have " + most + " at most");
    }
    try (InputStream in = owned.system().open(file, 0)) {
      return Optional.of(Bytes.wrap(in.readNBytes(most)));
    } catch (NoSuchFileException goneSince) {
      return Optional.empty();
    }
  }

  @Override
  public void remove(JobId job) throws IOException {
    owned.remove(file(job));
  }

  @Override
  public List<JobId> list() throws IOException {
    TreeSet<JobId> jobs = new TreeSet<>();
    try {
      for (FileStatus entry : owned.system().list(directory)) {
        FileArchive.job(entry.path().name()).ifPresent(jobs::add);
      }
    } catch (NoSuchFileException noneYet) {
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
