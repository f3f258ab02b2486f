package io.millrace.client;

import io.millrace.core.OrderedCopies;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipException;

/**
 * The jar of a program and the jars nested in it. A class loader cannot read a jar within a jar, so
 * nested jars are extracted to a temporary directory. {@link #close} deletes it, or the end of the
 * process.
 */
public final class ProgramJars implements AutoCloseable {
  private static final String NESTED = "lib/";

  private final Path jar;
  private final Optional<String> mainClass;
  private final List<Path> nested = new ArrayList<>();
  private Optional<Path> directory = Optional.empty();
  private Optional<Thread> hook = Optional.empty();

  private ProgramJars(Path jar, JarFile file) throws IOException {
    this.jar = jar;
    this.mainClass = mainClass(file);
  }

  private static Optional<String> mainClass(JarFile file) throws IOException {
    return Optional.ofNullable(file.getManifest())
        .map(manifest -> manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS))
        .map(String::trim)
        .filter(name -> !name.isEmpty());
  }

  /**
   * Finds the jar of a program. A relative path is resolved against the current directory and, if
   * no file exists there, against the root of the distribution, so that {@code
   * examples/word-count.jar} works in any directory.
   */
  public static Path find(String path, Path home) {
    // A relative path in both directories; the second path of an absolute one is the same.
    return firstJar(List.of(absolute(Path.of(path)), absolute(home.resolve(path))));
  }

  /** Finds the jar of a program without a distribution. */
  public static Path find(String path) {
    return firstJar(List.of(absolute(Path.of(path))));
  }

  private static Path absolute(Path path) {
    return path.toAbsolutePath().normalize();
  }

  private static Path firstJar(List<Path> candidates) {
    for (Path candidate : candidates) {
      if (Files.isDirectory(candidate)) {
        throw user(candidate + " is a directory. Give the path of a program's jar.", null);
      }
      if (Files.exists(candidate)) {
        return candidate;
      }
    }
    throw user("The jar " + candidates.get(0) + " does not exist. Check the path.", null);
  }

  /** Reads something in a jar. */
  private interface Reading<T> {
    T read(JarFile file) throws IOException;
  }

  static ProgramJars open(Path jar, Path tmp) {
    return read(
        jar,
        file -> {
          ProgramJars jars = new ProgramJars(jar, file);
          try {
            jars.extractNested(file, tmp);
          } catch (IOException | RuntimeException e) {
            jars.close();
            throw e;
          }
          return jars;
        });
  }

  /** Throws unless the file is a jar that can be read: class loaders ignore others. */
  static void check(Path jar) {
    read(jar, JarFile::size);
  }

  private static <T> T read(Path jar, Reading<T> reading) {
    try (JarFile file = new JarFile(jar.toFile(), false)) {
      return reading.read(file);
    } catch (ZipException e) {
      throw user(
          jar + " is not a jar (" + e.getMessage() + "). Give the path of a program's jar.", e);
    } catch (IOException e) {
      throw user("The jar " + jar + " cannot be read: " + e + ". Check its permissions.", e);
    }
  }

  private void extractNested(JarFile file, Path tmp) throws IOException {
    List<JarEntry> entries =
        file.stream()
            .filter(entry -> entry.getName().startsWith(NESTED))
            .filter(entry -> entry.getName().endsWith(".jar") && !entry.isDirectory())
            .sorted(Comparator.comparing(JarEntry::getName))
            .toList();
    for (JarEntry entry : entries) {
      // The last part of the name, with a number before it: an entry must not name a path outside
      // of the directory, and the last parts of two entries may be equal.
      String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
      Path target = extracted(tmp).resolve(nested.size() + "-" + name);
      try (InputStream in = file.getInputStream(entry)) {
        Files.copy(in, target);
      }
      nested.add(target);
    }
  }

  private Path extracted(Path tmp) throws IOException {
    if (directory.isEmpty()) {
      directory = Optional.of(Files.createTempDirectory(tmp, "millrace-program-"));
      Thread cleaner = new Thread(this::delete, "delete-nested-jars");
      Runtime.getRuntime().addShutdownHook(cleaner);
      hook = Optional.of(cleaner);
    }
    return directory.get();
  }

  Optional<String> mainClass() {
    return mainClass;
  }

  List<Path> all() {
    List<Path> all = new ArrayList<>(List.of(jar));
    all.addAll(nested);
    return OrderedCopies.list(all);
  }

  /**
   * Synchronized: at the end of the process, the shutdown hook and {@link #close} may run at once.
   */
  private synchronized void delete() {
    directory
        .filter(Files::exists)
        .ifPresent(
            root -> {
              try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                  Files.deleteIfExists(file);
                }
              } catch (IOException e) {
                System.err.println(
                    "The temporary directory " + root + " could not be deleted: " + e);
              }
            });
  }

  @Override
  public void close() {
    delete();
    hook.ifPresent(
        cleaner -> {
          try {
            Runtime.getRuntime().removeShutdownHook(cleaner);
          } catch (IllegalStateException e) {
            // The process is ending, and the hook runs already.
            return;
          }
        });
    directory = Optional.empty();
    hook = Optional.empty();
  }

  private static MillraceException user(String message, Throwable cause) {
    return new MillraceException(ErrorKind.USER, message, cause);
  }
}
