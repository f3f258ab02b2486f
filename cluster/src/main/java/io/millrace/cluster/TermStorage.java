package io.millrace.cluster;

import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.archive.SharedArchive;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.FileBlobStore;
import io.millrace.control.blob.SharedBlobStore;
import io.millrace.control.ha.ProcessLeadership;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.UnfencedDirectory;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The blobs and the archive of one of several JobManagers, in a directory that all of them see. A
 * JobManager opens it anew at the beginning of each of its terms, under a new name, so that a
 * former leader that was frozen does no harm there. While it does not lead, all calls fail.
 */
final class TermStorage {
  private final FileSystem system;
  private final FilePath directory;
  private final Path copies;
  private final AtomicReference<Optional<Taken>> current = new AtomicReference<>(Optional.empty());

  /** The directory in one term. */
  record Taken(UnfencedDirectory directory, BlobStore blobs, ArchiveStore archive) {
    Taken {
      Objects.requireNonNull(directory);
      Objects.requireNonNull(blobs);
      Objects.requireNonNull(archive);
    }
  }

  /**
   * @param copies the directory for local copies of blobs
   */
  TermStorage(FileSystem system, FilePath directory, Path copies) {
    this.system = system;
    this.directory = directory;
    this.copies = copies;
  }

  /** Opens the directory for a new term. Blocks. */
  Taken take() throws IOException {
    String leader = Id128.random(new SecureRandom()).toString();
    UnfencedDirectory opened = UnfencedDirectory.open(system, directory, leader);
    return new Taken(
        opened,
        new SharedBlobStore(
            opened, HighAvailabilityServices.BLOBS, leader, FileBlobStore.copies(copies)),
        new SharedArchive(opened, HighAvailabilityServices.ARCHIVE));
  }

  /** As the leadership of the process uses it. */
  ProcessLeadership.Storage forTerms() {
    return new ProcessLeadership.Storage() {
      @Override
      public Runnable take() throws IOException {
        Taken taken = TermStorage.this.take();
        return () -> begin(taken);
      }

      @Override
      public void end() {
        TermStorage.this.end();
      }
    };
  }

  private void begin(Taken taken) {
    current.set(Optional.of(taken));
  }

  private void end() {
    current.set(Optional.empty());
  }

  BlobStore blobs() {
    return new TermBlobs();
  }

  ArchiveStore archive() {
    return new TermArchive();
  }

  /** Removes the directory, if this JobManager leads. Blocks. */
  void removeAll() throws IOException {
    Optional<Taken> taken = current.get();
    if (taken.isPresent()) {
      taken.get().directory().removeAll();
    }
  }

  private Taken taken() {
    return current
        .get()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.RESOURCE,
                    "This JobManager does not lead the cluster. Try again in a few seconds."));
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private final class TermBlobs implements BlobStore {
    @Override
    public BlobKey put(InputStream content) throws IOException {
      return taken().blobs().put(content);
    }

    @Override
    public boolean contains(BlobKey key) throws IOException {
      return taken().blobs().contains(key);
    }

    @Override
    public long size(BlobKey key) throws IOException {
      return taken().blobs().size(key);
    }

    @Override
    public long storedBytes() throws IOException {
      return taken().blobs().storedBytes();
    }

    @Override
    public Bytes read(BlobKey key, long offset, int max) throws IOException {
      return taken().blobs().read(key, offset, max);
    }

    @Override
    public InputStream open(BlobKey key) throws IOException {
      return taken().blobs().open(key);
    }

    @Override
    public void delete(BlobKey key) throws IOException {
      taken().blobs().delete(key);
    }

    @Override
    public void clearRemains(Collection<BlobKey> needed) throws IOException {
      taken().blobs().clearRemains(needed);
    }

    @Override
    public void clearUnused(Collection<BlobKey> needed) throws IOException {
      taken().blobs().clearUnused(needed);
    }
  }

  private final class TermArchive implements ArchiveStore {
    @Override
    public void put(JobId job, Bytes content) throws IOException {
      taken().archive().put(job, content);
    }

    @Override
    public Optional<Bytes> find(JobId job, int maxBytes) throws IOException {
      return taken().archive().find(job, maxBytes);
    }

    @Override
    public void remove(JobId job) throws IOException {
      taken().archive().remove(job);
    }

    @Override
    public List<JobId> list() throws IOException {
      return taken().archive().list();
    }

    @Override
    public String place(JobId job) {
      return taken().archive().place(job);
    }
  }
}
