package io.millrace.yarn.client;

import io.millrace.client.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An archive of loaded classes, with which processes start in half the time. A JVM takes it only
 * with the class path it was made for, and that of a container is relative: the one that the
 * launcher made for processes on this machine is of no use there.
 */
final class ContainerArchive {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerArchive.class);
  private static final String NAME = "container.jsa";

  /** What the launcher saw its processes load. */
  private static final String CLASSES = "server.classes";

  private static final long PATIENCE_SECONDS = 60;

  private ContainerArchive() {}

  /**
   * The archive of a distribution, made on first use; nothing where it cannot be made, which costs
   * containers time and nothing else.
   *
   * @param home the distribution
   * @param link what a container calls it
   * @param classPath relative, as a container has it
   */
  static Optional<Path> of(Path home, String link, List<String> classPath, Progress progress) {
    Path classes = home.resolve(CLASSES);
    Path archive = home.resolve(NAME);
    try {
      if (isCurrent(archive, classes)) {
        return Optional.of(archive);
      }
      if (!Files.exists(classes) || !Files.isWritable(home)) {
        return Optional.empty();
      }
      progress.passing("Preparing a fast start of containers (once)");
      return make(home, link, classPath);
    } catch (IOException e) {
      LOG.warn("There is no archive of classes for containers, which start slower without", e);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static boolean isCurrent(Path archive, Path classes) throws IOException {
    return Files.exists(archive)
        && Files.exists(classes)
        && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(classes)) >= 0;
  }

  private static Optional<Path> make(Path home, String link, List<String> classPath)
      throws IOException, InterruptedException {
    Path work = Files.createTempDirectory(home, ".container-");
    Path draft = work.resolve(NAME);
    Path output = work.resolve("output");
    Path here = work.resolve(link);
    try {
      Files.createSymbolicLink(here, home.toAbsolutePath());
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xshare:dump",
                  "-XX:SharedClassListFile=" + home.resolve(CLASSES).toAbsolutePath(),
                  "-XX:SharedArchiveFile=" + draft.toAbsolutePath(),
                  "-cp",
                  String.join(":", classPath))
              .directory(work.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      if (!Files.exists(draft)) {
        LOG.warn("The JVM made no archive of classes for containers: {}", Files.readString(output));
        return Optional.empty();
      }
      Path archive = home.resolve(NAME);
      Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
      return Optional.of(archive);
    } finally {
      for (Path file : List.of(here, draft, output, work)) {
        Files.deleteIfExists(file);
      }
    }
  }
}
