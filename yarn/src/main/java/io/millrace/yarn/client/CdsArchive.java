package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.yarn.launch.ContainerLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A class data sharing archive for processes in containers, which halves their start time. A JVM
 * uses an archive only with exactly the class path for which it was made. The archive of the
 * launcher has the paths of this machine, so containers need another one. The first submission
 * makes it.
 *
 * @param home the distribution
 */
record CdsArchive(Path home) {
  private static final Logger LOG = LoggerFactory.getLogger(CdsArchive.class);
  private static final String NAME = "container.jsa";

  /** The class list of the launcher. */
  private static final String CLASSES = "server.classes";

  private static final String OUTPUT = "log";

  /** What the JVM reported when the archive could not be made. */
  private static final String FAILURE = "container.failure";

  /** A busy machine needs more than one. */
  private static final int TIMEOUT_MINUTES = 5;

  /**
   * The archive, which is made if it is missing. Empty for a user that cannot write to the
   * distribution, and after an attempt that failed: each submission would wait for another one.
   *
   * @param jars of the class path, with their paths in a container
   */
  Optional<Path> find(List<String> jars, Progress progress) {
    Path archive = home.resolve(NAME);
    Path classes = home.resolve(CLASSES);
    try {
      if (isCurrent(archive, classes)) {
        return Optional.of(archive);
      }
      Path failure = home.resolve(FAILURE);
      if (!Files.exists(classes) || !Files.isWritable(home) || isCurrent(failure, classes)) {
        return Optional.empty();
      }
      progress.report("Preparing a fast start of containers (once)");
      Optional<String> problem = make(archive, classes, jars);
      if (problem.isEmpty()) {
        return Optional.of(archive);
      }
      Files.writeString(failure, problem.get());
      progress.report(
          "It did not work, so containers start slower than they could; "
              + failure
              + " says why. Remove that file to try again.");
      return Optional.empty();
    } catch (IOException e) {
      LOG.warn("Containers start slowly: {} cannot be made", archive, e);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static boolean isCurrent(Path result, Path classes) throws IOException {
    return Files.exists(result)
        && Files.exists(classes)
        && Files.getLastModifiedTime(result).compareTo(Files.getLastModifiedTime(classes)) >= 0;
  }

  /** Returns what the JVM reported if the archive could not be made. */
  private Optional<String> make(Path archive, Path classes, List<String> jars)
      throws IOException, InterruptedException {
    // With the same relative class path as in a container.
    Path directory = Files.createTempDirectory(home, ".container-");
    try {
      Files.createSymbolicLink(directory.resolve(ContainerLayout.HOME), home);
      Path draft = directory.resolve(NAME);
      String path = String.join(":", jars);
      // A training run shows the classes of Hadoop. The archive works without them, too.
      java(
          directory,
          "-XX:DumpLoadedClassList=hadoop.classes",
          "-cp",
          path,
          CdsTraining.class.getName());
      Files.write(directory.resolve("all"), union(classes, directory.resolve("hadoop.classes")));
      int code =
          java(
              directory,
              "-Xshare:dump",
              "-XX:SharedClassListFile=all",
              "-XX:SharedArchiveFile=" + NAME,
              "-cp",
              path);
      if (code != 0 || !Files.exists(draft)) {
        return Optional.of(
            "The JVM ended with "
                + code
                + " and reported:\n"
                + Files.readString(directory.resolve(OUTPUT)));
      }
      Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
      Files.deleteIfExists(home.resolve(FAILURE));
      return Optional.empty();
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static int java(Path directory, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(OUTPUT).toFile()))
            .start();
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
    return process.waitFor();
  }

  /** The distinct lines of both files. */
  private static Set<String> union(Path first, Path second) throws IOException {
    Set<String> lines = new LinkedHashSet<>(Files.readAllLines(first));
    if (Files.exists(second)) {
      lines.addAll(Files.readAllLines(second));
    }
    return lines;
  }
}
