package io.millrace.cluster;

import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.archive.FileArchive;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.FileBlobs;
import io.millrace.control.ha.FileHaStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs, results, blobs and ended jobs of a JobManager: with high availability in a directory
 * that outlives it, and is removed only when the application ends for good; else in its memory and
 * its own directory.
 */
final class RecoveryData {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryData.class);

  private final HaStore store;
  private final BlobStore blobs;
  private final ArchiveStore ended;
  private final Optional<Durable> durable;

  private record Durable(Path directory, FileHaStore store) {}

  private RecoveryData(
      HaStore store, BlobStore blobs, ArchiveStore ended, Optional<Durable> durable) {
    this.store = store;
    this.blobs = blobs;
    this.ended = ended;
    this.durable = durable;
  }

  /**
   * @param own the process's own directory
   */
  static RecoveryData open(Configuration configuration, Path own) throws IOException {
    if (configuration.get(Options.HA_TYPE) == HighAvailability.NONE) {
      Path blobs =
          configuration.find(Options.BLOB_DIR).map(Path::of).orElseGet(() -> own.resolve("blobs"));
      return new RecoveryData(
          new MemoryHaStore(), new FileBlobs(blobs), archive(own), Optional.empty());
    }
    Path directory = directory(configuration);
    FileHaStore store = FileHaStore.open(directory.resolve("store"));
    try {
      BlobStore blobs = new FileBlobs(directory.resolve("blobs"));
      return new RecoveryData(
          store, blobs, archive(directory), Optional.of(new Durable(directory, store)));
    } catch (IOException e) {
      store.close();
      throw e;
    }
  }

  private static ArchiveStore archive(Path directory) {
    return new FileArchive(directory.resolve("archive"));
  }

  private static Path directory(Configuration configuration) {
    String given = configuration.get(Options.CLUSTER_ID);
    String cluster = given.startsWith("/") ? given.substring(1) : given;
    if (!cluster.matches("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")) {
      throw new MillraceException(
          ErrorKind.USER,
          Options.CLUSTER_ID.key()
              + " is '"
              + given
              + "' and names a directory: give it letters, digits, '.', '_' and '-', at most 100.");
    }
    return configuration
        .find(Options.HA_STORAGE_DIR)
        .map(directory -> Path.of(directory).resolve(cluster))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    Options.HA_TYPE.key()
                        + " is file, which needs a directory: set "
                        + Options.HA_STORAGE_DIR.key()
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
   * @param endedForGood whether nobody recovers from it any more
   */
  void close(boolean endedForGood) {
    durable.ifPresent(
        kept -> {
          if (endedForGood) {
            LOG.info("The application has ended: {} is removed", kept.directory());
            delete(kept.directory());
          }
          kept.store().close();
        });
  }

  @Override
  public String toString() {
    return "High availability ("
        + durable.map(kept -> kept.directory().toString()).orElse("none")
        + ")";
  }

  private static void delete(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + tree, e);
    }
  }
}
