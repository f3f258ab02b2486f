package io.millrace.dataplane.store;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.task.store.StateBackend;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state backends of a process and the local directory of their files. What a killed process has
 * left there is removed at the start. Thread-safe.
 */
public final class LocalStores {
  private static final Logger LOG = LoggerFactory.getLogger(LocalStores.class);

  private final StateBackends backends;
  private final Optional<Path> configured;
  private Path directory;

  /**
   * @param directory belongs to this process alone; empty for a temporary one
   */
  public LocalStores(StateBackends backends, Optional<Path> directory) {
    this.backends = backends;
    this.configured = directory;
    directory.ifPresent(LocalStores::delete);
  }

  /** The backend with a name; empty for that on the heap. */
  public Optional<StateBackend> backend(String name) {
    return backends.find(name);
  }

  /** A new empty directory. */
  public Path create() {
    try {
      return Files.createTempDirectory(directory(), "store-");
    } catch (IOException e) {
      throw uncreatable(e);
    }
  }

  /** The directory of all local files. */
  public synchronized Path directory() {
    if (directory == null) {
      try {
        directory =
            configured.isPresent()
                ? Files.createDirectories(configured.get())
                : Files.createTempDirectory("millrace-state");
      } catch (IOException e) {
        throw uncreatable(e);
      }
    }
    return directory;
  }

  private static MillraceException uncreatable(IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL, "A local directory for state cannot be created: " + cause, cause);
  }

  /** Deletes a directory with everything in it. A failure is logged. */
  public static void delete(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("Local state in {} cannot be deleted", path, e);
    }
  }

  /** Deletes a temporary directory; all stores are closed. */
  public synchronized void close() {
    if (directory != null) {
      delete(directory);
      directory = null;
    }
  }
}
