package io.millrace.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.archive.FileArchive;
import io.millrace.control.archive.SharedArchive;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.FencedBlobStore;
import io.millrace.control.blob.FileBlobStore;
import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.Coordinators;
import io.millrace.control.ha.FencedHaStore;
import io.millrace.control.ha.FileHaStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.ha.ProcessLeadership;
import io.millrace.core.config.BlobServerOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.plugin.Plugins;
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
 * The recovery data, blobs and archive of a JobManager. With high availability they are in a
 * directory that outlives the process and is deleted when the application has ended; otherwise in
 * memory and in the directory of the process. A directory on a local disk is locked. A directory on
 * a shared file system is fenced: a new JobManager takes it over, and the earlier one ends when it
 * notices. With a coordination service, a JobManager takes over when it is elected, and waits again
 * when it is not the leader any more.
 */
final class HighAvailabilityServices {
  private static final Logger LOG = LoggerFactory.getLogger(HighAvailabilityServices.class);
  private static final String STORE = "store";
  static final String BLOBS = "blobs";
  static final String ARCHIVE = "archive";

  /** How often a JobManager checks that no other one has taken over its directory. */
  private static final Duration OWNERSHIP_CHECK_INTERVAL = Duration.ofSeconds(2);

  private final HaStore store;
  private final BlobStore blobs;
  private final ArchiveStore archive;
  private final Optional<DurableDirectory> durable;
  private final Optional<ProcessLeadership> contending;
  private Optional<Mailbox> ownershipChecks = Optional.empty();
  private volatile boolean closed;

  /** A directory that outlives the process. */
  private sealed interface DurableDirectory {
    /**
     * @param ended how the application has ended
     */
    void removeAll(EndedApplication ended) throws IOException;

    void release();

    boolean isHeld() throws IOException;
  }

  private record LocalDirectory(Path directory, FileHaStore store) implements DurableDirectory {
    @Override
    public void removeAll(EndedApplication ended) throws IOException {
      try (Stream<Path> files = Files.walk(directory)) {
        List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        for (Path file : deepestFirst) {
          Files.deleteIfExists(file);
        }
      }
    }

    @Override
    public void release() {
      store.close();
    }

    /** The process holds the lock until it ends. */
    @Override
    public boolean isHeld() {
      return true;
    }

    @Override
    public String toString() {
      return directory.toString();
    }
  }

  private record SharedDirectory(FencedDirectory directory) implements DurableDirectory {
    @Override
    public void removeAll(EndedApplication ended) throws IOException {
      directory.removeAll();
    }

    /** There is no lock: the next JobManager takes the directory over. */
    @Override
    public void release() {}

    @Override
    public boolean isHeld() throws IOException {
      return directory.isHeld();
    }

    @Override
    public String toString() {
      return directory.toString();
    }
  }

  private record CoordinatedDirectory(
      Coordinator coordinator, ProcessLeadership leadership, TermStorage storage)
      implements DurableDirectory {
    /** The outcome stays for the standbys, if there are any; the last one removes it. */
    @Override
    public void removeAll(EndedApplication ended) throws IOException {
      if (leadership.leads()) {
        HaStore store = coordinator.store();
        ended.put(store);
        for (String key : store.list("")) {
          if (!key.equals(EndedApplication.KEY)) {
            store.read(key).ifPresent(found -> store.delete(key, found.version(), Long.MAX_VALUE));
          }
        }
        storage.removeAll();
        if (coordinator.contenders() <= 1) {
          EndedApplication.remove(store);
        }
      }
    }

    @Override
    public void release() {
      leadership.close();
      coordinator.close();
    }

    /** The coordinator dismisses a process that is not the leader any more. */
    @Override
    public boolean isHeld() {
      return true;
    }

    @Override
    public String toString() {
      return coordinator + ", " + storage;
    }
  }

  private HighAvailabilityServices(HaStore store, BlobStore blobs, ArchiveStore archive) {
    this.store = store;
    this.blobs = blobs;
    this.archive = archive;
    this.durable = Optional.empty();
    this.contending = Optional.empty();
  }

  private HighAvailabilityServices(
      HaStore store, BlobStore blobs, ArchiveStore archive, DurableDirectory durable) {
    this.store = store;
    this.blobs = blobs;
    this.archive = archive;
    this.durable = Optional.of(durable);
    this.contending =
        durable instanceof CoordinatedDirectory coordinated
            ? Optional.of(coordinated.leadership())
            : Optional.empty();
  }

  /** Opens what {@code high-availability.type} names. Blocks. */
  static HighAvailabilityServices open(
      Configuration configuration, Path own, FileSystems files, Plugins plugins, Env env)
      throws IOException {
    if (!Coordinators.isConfigured(configuration)) {
      return open(configuration, own, files);
    }
    FilePath directory = directory(configuration);
    FileSystem system = files.of(directory);
    Coordinator coordinator = Coordinators.of(plugins).connect(configuration, env);
    TermStorage storage = new TermStorage(system, directory, own.resolve(BLOBS));
    return new HighAvailabilityServices(
        coordinator.store(),
        storage.blobs(),
        storage.archive(),
        new CoordinatedDirectory(
            coordinator, new ProcessLeadership(env, coordinator, storage.forTerms()), storage));
  }

  /**
   * @param own the directory of the process
   * @param files the file systems that may have the durable directory
   */
  static HighAvailabilityServices open(Configuration configuration, Path own, FileSystems files)
      throws IOException {
    if (HighAvailabilityOptions.type(configuration).equals(HighAvailabilityOptions.NONE)) {
      Path blobs =
          configuration
              .find(BlobServerOptions.STORAGE_DIRECTORY)
              .map(Path::of)
              .orElseGet(() -> own.resolve(BLOBS));
      return new HighAvailabilityServices(
          new MemoryHaStore(), new FileBlobStore(blobs), archive(own));
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
          store, blobs, archive(directory), new LocalDirectory(directory, store));
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
          new FencedBlobStore(taken, BLOBS, FileBlobStore.copies(own.resolve(BLOBS))),
          new SharedArchive(taken, ARCHIVE),
          new SharedDirectory(taken));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The directory "
              + directory
              + " ("
              + HighAvailabilityOptions.HA_STORAGE_PATH.key()
              + ") for recovery data cannot be used: "
              + e
              + ". Check the file system and the permissions of this process there.",
          e);
    }
  }

  private static ArchiveStore archive(Path directory) {
    return new FileArchive(directory.resolve(ARCHIVE));
  }

  /** The directory with the leader record, which other processes read. */
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
              + "'; as the name of a directory it may have at most 100 letters, digits, '.', '_'"
              + " and '-'.");
    }
    return configuration
        .find(HighAvailabilityOptions.HA_STORAGE_PATH)
        .map(directory -> FilePath.parse(directory).child(cluster))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    HighAvailabilityOptions.HA_MODE.key()
                        + " is "
                        + HighAvailabilityOptions.type(configuration)
                        + ", which needs a directory: set "
                        + HighAvailabilityOptions.HA_STORAGE_PATH.key()
                        + "."));
  }

  HaStore store() {
    return store;
  }

  /** The election of the components of this JobManager. May block. */
  JobManager.Leadership leadership(Env env) {
    return contending
        .map(ProcessLeadership::election)
        .map(election -> new JobManager.Leadership(election, election))
        .orElseGet(() -> JobManager.Leadership.alone(env, store));
  }

  /** The REST address of the leading JobManager, if this one does not lead and knows it. */
  Optional<String> otherLeader() {
    return contending.flatMap(ProcessLeadership::otherLeader).map(LeaderRecord::rest);
  }

  BlobStore blobs() {
    return blobs;
  }

  /** The archive of ended jobs. */
  ArchiveStore archive() {
    return archive;
  }

  /**
   * Publishes the address of this JobManager for TaskManagers, and then checks regularly that no
   * other JobManager has taken over; with a coordination service, contends for the leadership.
   * Blocks.
   *
   * @param lost called if another JobManager has taken over, or this one is elected and cannot
   */
  void lead(Env env, LeaderRecord leader, Consumer<Throwable> lost) {
    if (contending.isPresent()) {
      contending.get().contend(leader, lost);
    } else if (durable.isPresent()) {
      leader.publish(store);
      Mailbox mailbox = env.mailbox("recovery-data");
      ownershipChecks = Optional.of(mailbox);
      mailbox.post(() -> checkOwnership(durable.get(), env, mailbox, lost));
    }
  }

  private void checkOwnership(
      DurableDirectory directory, Env env, Mailbox mailbox, Consumer<Throwable> lost) {
    env.io()
        .call(mailbox, directory::isHeld)
        .whenComplete(
            (held, failure) -> {
              if (closed) {
                return;
              }
              if (failure != null) {
                LOG.warn(
                    "Cannot check whether {} still belongs to this JobManager", directory, failure);
              } else if (!held) {
                lost.accept(
                    new MillraceException(
                        ErrorKind.EXTERNAL,
                        "Another JobManager has taken over the recovery data of this one ("
                            + directory
                            + ") and its jobs."));
                return;
              }
              mailbox.after(
                  OWNERSHIP_CHECK_INTERVAL, () -> checkOwnership(directory, env, mailbox, lost));
            });
  }

  /** Whether this JobManager may be one of several, of which a coordination service elects one. */
  boolean isElected() {
    return contending.isPresent();
  }

  /**
   * Calls {@link #close} on an io thread: unavailable storage must not block the process end.
   *
   * @param ended how the application has ended; empty if only the process ends
   */
  CompletableFuture<Void> stop(Env env, Optional<ApplicationOutcome> ended) {
    return env.io()
        .call(
            env.mailbox("recovery-data-end"),
            () -> {
              close(ended.map(outcome -> new EndedApplication(env.wallMillis(), outcome)));
              return null;
            });
  }

  /**
   * @param ended how the application has ended, so that the recovery data is not needed any more
   *     and is deleted; empty if only the process ends
   */
  void close(Optional<EndedApplication> ended) {
    closed = true;
    ownershipChecks.ifPresent(Mailbox::close);
    durable.ifPresent(
        directory -> {
          if (ended.isPresent()) {
            LOG.info("The application has ended: {} is deleted", directory);
            try {
              directory.removeAll(ended.get());
            } catch (IOException e) {
              throw new UncheckedIOException("Cannot delete " + directory, e);
            }
          }
          directory.release();
        });
  }

  @Override
  public String toString() {
    return "High availability (" + durable.map(DurableDirectory::toString).orElse("none") + ")";
  }
}
