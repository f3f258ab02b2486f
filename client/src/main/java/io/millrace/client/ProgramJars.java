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
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipException;

/**
 * A program's jar and the jars inside it. A class loader cannot read a jar within a jar, so those
 * are copied to a directory that goes away with this, or with the process at the latest.
 */
public final class ProgramJars implements AutoCloseable {
  private static final String NESTED = "lib/";

  private final Path jar;
  private final Optional<String> mainClass;
  private final List<Path> nested = new ArrayList<>();
  private Optional<Path> directory = Optional.empty();
  private Optional<Thread> hook = Optional.empty();

  private ProgramJars(Path jar, Optional<String> mainClass) {
    this.jar = jar;
    this.mainClass = mainClass;
  }

  /**
   * Finds the jar a user means: a relative path is taken from the current directory and, where
   * nothing is there, from the distribution, so that {@code examples/word-count.jar} works from
   * anywhere.
   */
  public static Path find(String path, Optional<Path> home) {
    Path given = Path.of(path);
    Path here = given.toAbsolutePath().normalize();
    List<Path> candidates = new ArrayList<>(List.of(here));
    if (!given.isAbsolute()) {
      home.ifPresent(root -> candidates.add(root.resolve(given).toAbsolutePath().normalize()));
    }
    for (Path candidate : candidates) {
      if (Files.isDirectory(candidate)) {
        throw user(candidate + " is a directory. Give the jar of a program.", null);
      }
      if (Files.exists(candidate)) {
        return candidate;
      }
    }
    throw user("There is no jar " + here + ". Check the path.", null);
  }

  static ProgramJars open(Path jar, Path tmp) {
    try (JarFile file = new JarFile(jar.toFile(), false)) {
      Manifest manifest = file.getManifest();
      Optional<String> mainClass =
          Optional.ofNullable(manifest)
              .map(found -> found.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS))
              .map(String::trim)
              .filter(name -> !name.isEmpty());
      ProgramJars jars = new ProgramJars(jar, mainClass);
      try {
        jars.extractNested(file, tmp);
      } catch (IOException | RuntimeException e) {
        jars.close();
        throw e;
      }
      return jars;
    } catch (ZipException e) {
      throw user(jar + " is not a jar (" + e.getMessage() + "). Give the jar of a program.", e);
    } catch (IOException e) {
      throw user("The jar " + jar + " cannot be read: " + e, e);
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
      // Only the last part of the name, with a number before it: an entry must not name a place
      // outside of the directory, and two of them may end alike.
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

  /** By one thread at a time: at the end of a process, several may want to. */
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
                System.err.println("Temporary directory " + root + " was left behind: " + e);
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
            // The process is ending, and the hook with it.
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
