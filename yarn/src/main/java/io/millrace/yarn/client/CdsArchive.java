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
 * An archive of loaded classes with which processes in containers start in less than half the time.
 * A JVM uses one only for the class path it was made for, word for word, so the launcher's own, for
 * the jars where they are on this machine, is of no use there. Made once, by the first submission.
 *
 * @param home the distribution
 */
record CdsArchive(Path home) {
  private static final Logger LOG = LoggerFactory.getLogger(CdsArchive.class);
  private static final String NAME = "container.jsa";

  /** Which classes the launcher found worth it. */
  private static final String CLASSES = "server.classes";

  private static final String OUTPUT = "log";
  private static final int MINUTES = 2;

  /**
   * The archive, if there is one or can be one: whoever cannot write into the distribution does
   * without.
   *
   * @param jars of the class path, as a container sees them
   * @param progress hears when it takes a while
   */
  Optional<Path> made(List<String> jars, Progress progress) {
    Path archive = home.resolve(NAME);
    Path classes = home.resolve(CLASSES);
    try {
      if (isCurrent(archive, classes)) {
        return Optional.of(archive);
      }
      if (!Files.exists(classes) || !Files.isWritable(home)) {
        return Optional.empty();
      }
      progress.report("Preparing a fast start of containers (once)");
      return make(archive, classes, jars) ? Optional.of(archive) : Optional.empty();
    } catch (IOException e) {
      LOG.warn("Containers start slower than they could: {} cannot be made", archive, e);
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

  private boolean make(Path archive, Path classes, List<String> jars)
      throws IOException, InterruptedException {
    // The class path has to read as it will in a container.
    Path place = Files.createTempDirectory(home, ".container-");
    try {
      Files.createSymbolicLink(place.resolve(ContainerLayout.HOME), home);
      Path draft = place.resolve(NAME);
      String path = String.join(":", jars);
      // What it takes besides, a run of it shows; without that the archive only helps less.
      java(
          place,
          "-XX:DumpLoadedClassList=hadoop.classes",
          "-cp",
          path,
          CdsTraining.class.getName());
      Files.write(place.resolve("all"), both(classes, place.resolve("hadoop.classes")));
      int code =
          java(
              place,
              "-Xshare:dump",
              "-XX:SharedClassListFile=all",
              "-XX:SharedArchiveFile=" + NAME,
              "-cp",
              path);
      if (code != 0 || !Files.exists(draft)) {
        LOG.warn(
            "Containers start slower than they could. The JVM said: {}",
            Files.readString(place.resolve(OUTPUT)).strip());
        return false;
      }
      Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } finally {
      try (Stream<Path> files = Files.walk(place)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static int java(Path place, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(place.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(place.resolve(OUTPUT).toFile()))
            .start();
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
    return process.waitFor();
  }

  /** Each line once. */
  private static Set<String> both(Path first, Path second) throws IOException {
    Set<String> lines = new LinkedHashSet<>(Files.readAllLines(first));
    if (Files.exists(second)) {
      lines.addAll(Files.readAllLines(second));
    }
    return lines;
  }
}
