package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The installed files of Millrace.
 *
 * @param home the root of the distribution; empty if the classes are not from a distribution, for
 *     example in an IDE, where the class path has all of them
 */
public record Distribution(Optional<Path> home) {
  /** The JVM options that name the libraries of a server process. */
  List<String> serverLibraries() throws IOException {
    List<String> options = new ArrayList<>();
    String classPath = System.getProperty("java.class.path");
    if (home.isPresent()) {
      Path root = home.get();
      options.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + root);
      Path archive = root.resolve("server.jsa");
      if (Files.exists(archive)) {
        options.add("-Xshare:auto");
        options.add("-XX:SharedArchiveFile=" + archive);
      }
      // The shared archive was created for these jars in this order.
      List<String> jars = new ArrayList<>(jars(root.resolve("lib")));
      jars.addAll(jars(root.resolve("lib").resolve("server")));
      classPath = String.join(File.pathSeparator, jars);
    }
    options.add("-cp");
    options.add(classPath);
    return options;
  }

  private static List<String> jars(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(Path::toString).filter(name -> name.endsWith(".jar")).sorted().toList();
    }
  }
}
