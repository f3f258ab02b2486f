package io.millrace.yarn.client;

import io.millrace.client.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
  private static final String OUTPUT = "output";

  /** What the launcher saw its processes load. */
  private static final String CLASSES = "server.classes";

  private static final long PATIENCE_SECONDS = 180;

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
      progress.told("Preparing a fast start of containers (once)");
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
    try {
      Files.createSymbolicLink(work.resolve(link), home.toAbsolutePath());
      String path = String.join(":", classPath);
      java(work, "-XX:DumpLoadedClassList=hadoop.lst", "-cp", path, Rehearsal.class.getName());
      Files.write(
          work.resolve("all.lst"), classes(home.resolve(CLASSES), work.resolve("hadoop.lst")));
      java(
          work,
          "-Xshare:dump",
          "-XX:SharedClassListFile=all.lst",
          "-XX:SharedArchiveFile=" + NAME,
          "-cp",
          path);
      if (!Files.exists(work.resolve(NAME))) {
        LOG.warn(
            "The JVM made no archive of classes for containers: {}",
            Files.readString(work.resolve(OUTPUT)));
        return Optional.empty();
      }
      Path archive = home.resolve(NAME);
      Files.move(work.resolve(NAME), archive, StandardCopyOption.ATOMIC_MOVE);
      return Optional.of(archive);
    } finally {
      for (String file : List.of(link, "hadoop.lst", "all.lst", NAME, OUTPUT)) {
        Files.deleteIfExists(work.resolve(file));
      }
      Files.deleteIfExists(work);
    }
  }

  /** Each once. The second list is missing where the rehearsal did not work. */
  private static Set<String> classes(Path first, Path second) throws IOException {
    Set<String> classes = new LinkedHashSet<>(Files.readAllLines(first));
    if (Files.exists(second)) {
      classes.addAll(Files.readAllLines(second));
    }
    return classes;
  }

  private static void java(Path work, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(work.resolve(OUTPUT).toFile()))
            .start();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
