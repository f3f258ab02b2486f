package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.fs.DurableDirectory;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One file a job in one directory. A file is written under another name, forced to the disk and
 * then given its own, so that whatever was killed in between, a job has its whole file or none. The
 * directory is made when it is first needed, for its owner only.
 */
public final class FileArchive implements ArchiveStore {
  private static final Logger LOG = LoggerFactory.getLogger(FileArchive.class);
  private static final String SUFFIX = ".job";
  private static final String DRAFT = ".new";

  private final Path directory;

  public FileArchive(Path directory) {
    this.directory = directory;
  }

  @Override
  public void put(JobId job, Bytes content) throws IOException {
    DurableDirectory.create(directory);
    Path draft = draft(job);
    try (FileChannel out =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer left = ByteBuffer.wrap(content.unsafeArray());
      while (left.hasRemaining()) {
        out.write(left);
      }
      out.force(true);
    }
    Files.move(
        draft, file(job), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    DurableDirectory.force(directory);
  }

  @Override
  public Optional<Bytes> find(JobId job, int most) throws IOException {
    Path file = file(job);
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // A pipe would be waited for, and a link may lead anywhere.
      if (!attributes.isRegularFile()) {
        throw new IOException(file + " is not a plain file");
      }
      try (FileChannel in =
          FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        if (in.size() > most) {
          throw new IOException(
              file + " has " + in.size() + " bytes and may have " + most + " at most");
        }
        ByteBuffer content = ByteBuffer.allocate((int) in.size());
        while (content.hasRemaining() && in.read(content) >= 0) {
          // One read may bring less than there is.
        }
        return Optional.of(Bytes.copyOf(content.array(), 0, content.position()));
      }
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public void remove(JobId job) throws IOException {
    Files.deleteIfExists(file(job));
    Files.deleteIfExists(draft(job));
  }

  /** Jobs of which only a part was written count, too. */
  @Override
  public List<JobId> list() throws IOException {
    TreeSet<JobId> jobs = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Optional<JobId> job = job(file.getFileName().toString());
        if (job.isPresent()) {
          jobs.add(job.get());
        } else {
          LOG.warn("{} is not the file of an ended job and is left alone", file);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    }
    return new ArrayList<>(jobs);
  }

  @Override
  public String place(JobId job) {
    return file(job).toString();
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  /** The job that has, or would have, a file of this name. */
  static Optional<JobId> job(String name) {
    String whole = name.endsWith(DRAFT) ? name.substring(0, name.length() - DRAFT.length()) : name;
    if (!whole.endsWith(SUFFIX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JobId.parse(whole.substring(0, whole.length() - SUFFIX.length())));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  static String name(JobId job) {
    return job + SUFFIX;
  }

  private Path file(JobId job) {
    return directory.resolve(name(job));
  }

  private Path draft(JobId job) {
    return directory.resolve(job + SUFFIX + DRAFT);
  }
}
