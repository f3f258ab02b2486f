package io.millrace.cluster;

import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.archive.FencedArchive;
import io.millrace.control.archive.FileArchive;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.FencedBlobStore;
import io.millrace.control.blob.FileBlobStore;
import io.millrace.control.ha.FencedHaStore;
import io.millrace.control.ha.FileHaStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.config.BlobServerOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs, results, blobs and ended jobs of a JobManager: with high availability in a directory
 * that outlives it, and is removed only when the application ends for good; else in its memory and
 * its own directory. A directory on this machine's disk is locked; one that many machines see is
 * taken from the JobManager before, which ends when it notices.
 */
final class HighAvailabilityServices {
  private static final Logger LOG = LoggerFactory.getLogger(HighAvailabilityServices.class);
  private static final String STORE = "store";
  private static final String BLOBS = "blobs";
  private static final String ARCHIVE = "archive";

  /** How long a JobManager that was replaced may go on without having noticed. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final HaStore store;
  private final BlobStore blobs;
  private final ArchiveStore ended;
  private final Optional<Durable> durable;
  private Optional<Mailbox> watching = Optional.empty();
  private volatile boolean closed;

  /** What outlives the process. */
  private sealed interface Durable {
    void removeAll() throws IOException;

    void giveUp();

    boolean isHeld() throws IOException;
  }

  private record Local(Path directory, FileHaStore store) implements Durable {
    @Override
    public void removeAll() throws IOException {
      try (Stream<Path> files = Files.walk(directory)) {
        List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        for (Path file : deepestFirst) {
          Files.deleteIfExists(file);
        }
      }
    }

    @Override
    public void giveUp() {
      store.close();
    }

    /** The lock is the process's until it ends. */
    @Override
    public boolean isHeld() {
      return true;
    }

    @Override
    public String toString() {
      return directory.toString();
    }
  }

  private record Shared(FencedDirectory directory) implements Durable {
    @Override
    public void removeAll() throws IOException {
      directory.removeAll();
    }

    /** Whoever comes next takes it. */
    @Override
    public void giveUp() {}

    @Override
    public boolean isHeld() throws IOException {
      return directory.isHeld();
    }

    @Override
    public String toString() {
      return directory.toString();
    }
  }

  private HighAvailabilityServices(
      HaStore store, BlobStore blobs, ArchiveStore ended, Optional<Durable> durable) {
    this.store = store;
    this.blobs = blobs;
    this.ended = ended;
    this.durable = durable;
  }

  /**
   * @param own the process's own directory
   * @param files where the directory may be that outlives it
   */
  static HighAvailabilityServices open(Configuration configuration, Path own, FileSystems files)
      throws IOException {
    if (configuration.get(HighAvailabilityOptions.HA_MODE) == HighAvailability.NONE) {
      Path blobs =
          configuration
              .find(BlobServerOptions.STORAGE_DIRECTORY)
              .map(Path::of)
              .orElseGet(() -> own.resolve(BLOBS));
      return new HighAvailabilityServices(
          new MemoryHaStore(), new FileBlobStore(blobs), archive(own), Optional.empty());
    }
    FilePath directory = directory(configuration);
    return directory.scheme().equals(FilePath.LOCAL)
        ? local(Path.of(directory.path()))
        : shared(directory, files.of(directory), own);
  }

  private static HighAvailabilityServices local(Path directory) throws IOException {
    FileHaStore store = FileHaStore.open(directory.resolve(STORE));
    try {
      BlobStore blobs = new FileBlobStore(directory.resolve(BLOBS));
      return new HighAvailabilityServices(
          store, blobs, archive(directory), Optional.of(new Local(directory, store)));
    } catch (IOException e) {
      store.close();
      throw e;
    }
  }

  private static HighAvailabilityServices shared(FilePath directory, FileSystem system, Path own) {
    try {
      FencedDirectory taken =
          FencedDirectory.take(system, directory, Id128.random(new SecureRandom()).toString());
      return new HighAvailabilityServices(
          new FencedHaStore(taken, STORE),
          new FencedBlobStore(taken, BLOBS, new FileBlobStore(own.resolve(BLOBS))),
          new FencedArchive(taken, ARCHIVE),
          Optional.of(new Shared(taken)));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The directory "
              + directory
              + " ("
              + HighAvailabilityOptions.HA_STORAGE_PATH.key()
              + ") for recovery cannot be used: "
              + e
              + ". Mend the file system or the rights of this process there.",
          e);
    }
  }

  private static ArchiveStore archive(Path directory) {
    return new FileArchive(directory.resolve(ARCHIVE));
  }

  /** Where others find the record of the JobManager that leads. */
  static FilePath store(Configuration configuration) {
    return directory(configuration).child(STORE);
  }

  private static FilePath directory(Configuration configuration) {
    String given = configuration.get(HighAvailabilityOptions.HA_CLUSTER_ID);
    String cluster = given.startsWith("/") ? given.substring(1) : given;
    if (!cluster.matches("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")) {
      throw new MillraceException(
          ErrorKind.USER,
          HighAvailabilityOptions.HA_CLUSTER_ID.key()
              + " is '"
              + given
              + "' and names a directory: give it letters, digits, '.', '_' and '-', at most 100.");
    }
    return configuration
        .find(HighAvailabilityOptions.HA_STORAGE_PATH)
        .map(directory -> FilePath.parse(directory).child(cluster))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    HighAvailabilityOptions.HA_MODE.key()
                        + " is file, which needs a directory: set "
                        + HighAvailabilityOptions.HA_STORAGE_PATH.key()
                        + "."));
  }

  HaStore store() {
    return store;
  }

  BlobStore blobs() {
    return blobs;
  }

  /** For what is told of jobs that have ended. */
  ArchiveStore ended() {
    return ended;
  }

  /**
   * Tells TaskManagers where this JobManager is, and from then on looks whether another one has
   * taken over. Blocks.
   *
   * @param lost told when one has
   */
  void lead(Env env, LeaderRecord here, Consumer<Throwable> lost) {
    if (durable.isPresent()) {
      here.publish(store);
      Mailbox mailbox = env.mailbox("recovery-data");
      watching = Optional.of(mailbox);
      mailbox.post(() -> watch(durable.get(), env, mailbox, lost));
    }
  }

  private void watch(Durable kept, Env env, Mailbox mailbox, Consumer<Throwable> lost) {
    env.io()
        .call(mailbox, kept::isHeld)
        .whenComplete(
            (held, failure) -> {
              if (closed) {
                return;
              }
              if (failure != null) {
                LOG.warn("Whether {} is still this JobManager's is not known", kept, failure);
              } else if (!held) {
                lost.accept(
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "Another JobManager has taken over what this one recovers from ("
                            + kept
                            + "), and with it the jobs."));
                return;
              }
              mailbox.after(LOOK, () -> watch(kept, env, mailbox, lost));
            });
  }

  /** {@link #close} off this thread: storage that is away must not keep the process from ending. */
  CompletableFuture<Void> stop(Env env, boolean endedForGood) {
    return env.io()
        .call(
            env.mailbox("recovery-data-end"),
            () -> {
              close(endedForGood);
              return null;
            });
  }

  /**
   * @param endedForGood whether nobody recovers from it any more
   */
  void close(boolean endedForGood) {
    closed = true;
    watching.ifPresent(Mailbox::close);
    durable.ifPresent(
        kept -> {
          if (endedForGood) {
            LOG.info("The application has ended: {} is removed", kept);
            try {
              kept.removeAll();
            } catch (IOException e) {
              throw new UncheckedIOException("Cannot delete " + kept, e);
            }
          }
          kept.giveUp();
        });
  }

  @Override
  public String toString() {
    return "High availability (" + durable.map(Durable::toString).orElse("none") + ")";
  }
}
