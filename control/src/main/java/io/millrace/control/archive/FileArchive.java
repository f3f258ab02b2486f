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
 * The archive in a directory, with one file per job. A file is written under a temporary name,
 * forced to the disk and renamed, so that a crash leaves a complete file or none. The directory is
 * created on first use, readable only by its owner.
 */
public final class FileArchive implements ArchiveStore {
  private static final Logger LOG = LoggerFactory.getLogger(FileArchive.class);
  private static final String SUFFIX = ".job";
  private static final String TEMPORARY = ".new";

  private final Path directory;

  public FileArchive(Path directory) {
    this.directory = directory;
  }

  @Override
  public void put(JobId job, Bytes content) throws IOException {
    DurableDirectory.create(directory);
    Path temporary = temporary(job);
    try (FileChannel out =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer remaining = ByteBuffer.wrap(content.unsafeArray());
      while (remaining.hasRemaining()) {
        out.write(remaining);
      }
      out.force(true);
    }
    Files.move(
        temporary, file(job), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    DurableDirectory.force(directory);
  }

  @Override
  public Optional<Bytes> find(JobId job, int maxBytes) throws IOException {
    Path file = file(job);
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // Opening a pipe would block, and a link may point anywhere.
      if (!attributes.isRegularFile()) {
        throw new IOException(file + " is not a plain file");
      }
      try (FileChannel in =
          FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        if (in.size() > maxBytes) {
          throw new IOException(
              file + " has " + in.size() + " bytes and may have " + maxBytes + " at most");
        }
        ByteBuffer content = ByteBuffer.allocate((int) in.size());
        while (content.hasRemaining() && in.read(content) >= 0) {
          // A read may return fewer bytes than requested.
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
    Files.deleteIfExists(temporary(job));
  }

  /** Includes jobs that have only a partly written file. */
  @Override
  public List<JobId> list() throws IOException {
    TreeSet<JobId> jobs = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Optional<JobId> job = job(file.getFileName().toString());
        if (job.isPresent()) {
          jobs.add(job.get());
        } else {
          LOG.warn("{} is not an archive file and is ignored", file);
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

  /** The job whose file, or temporary file, has this name. */
  static Optional<JobId> job(String name) {
    String finalName =
        name.endsWith(TEMPORARY) ? name.substring(0, name.length() - TEMPORARY.length()) : name;
    if (!finalName.endsWith(SUFFIX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JobId.parse(finalName.substring(0, finalName.length() - SUFFIX.length())));
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

  private Path temporary(JobId job) {
    return directory.resolve(job + SUFFIX + TEMPORARY);
  }
}
