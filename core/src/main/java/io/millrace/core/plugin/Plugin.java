package io.millrace.core.plugin;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** A plugin: the jars of one directory and their class loader. */
final class Plugin implements AutoCloseable {
  /** Library jars are opened when a class is looked up, and never searched for services. */
  private static final String LIBRARIES = "lib";

  private static final int END_BYTES = 22;
  private static final int END_MARK = 0x06054b50;

  private final Path directory;
  private final PluginClassLoader loader;

  private Plugin(Path directory, PluginClassLoader loader) {
    this.directory = directory;
    this.loader = loader;
  }

  static List<Path> jarsIn(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw broken(directory, "the directory cannot be read: " + Failure.sentence(e), e);
    }
  }

  /**
   * @param jars the jars that may provide services; their libraries are in a subdirectory
   */
  static Plugin load(Path directory, List<Path> jars, List<String> fromEngine) {
    List<URL> offering = new ArrayList<>();
    for (Path jar : jars) {
      offering.add(readable(directory, jar, Plugin::opened));
    }
    List<URL> libraries = new ArrayList<>();
    Path lib = directory.resolve(LIBRARIES);
    if (Files.isDirectory(lib)) {
      for (Path jar : jarsIn(lib)) {
        libraries.add(readable(directory, jar, Plugin::hasCentralDirectory));
      }
    }
    return new Plugin(
        directory,
        new PluginClassLoader(
            "plugin " + directory.getFileName(),
            offering,
            libraries,
            Plugin.class.getClassLoader(),
            fromEngine));
  }

  private interface Check {
    void of(Path jar) throws IOException;
  }

  /** The class loader ignores an unreadable jar, and classes would be missing later. */
  private static URL readable(Path directory, Path jar, Check check) {
    try {
      check.of(jar);
      return jar.toUri().toURL();
    } catch (IOException e) {
      throw broken(
          directory, "jar " + jar.getFileName() + " cannot be read: " + Failure.sentence(e), e);
    }
  }

  private static void opened(Path jar) throws IOException {
    new JarFile(jar.toFile()).close();
  }

  /**
   * Whether the central directory of a jar exists, which is the last part of a download. Opening
   * large libraries would dominate the start-up time of every process.
   */
  private static void hasCentralDirectory(Path jar) throws IOException {
    try (FileChannel file = FileChannel.open(jar)) {
      ByteBuffer end = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      long start = file.size() - END_BYTES;
      if (start >= 0 && file.read(end, start) == END_BYTES && end.getInt(0) == END_MARK) {
        return;
      }
    }
    // A jar with a comment at its end has the signature further up.
    opened(jar);
  }

  String name() {
    return directory.getFileName().toString();
  }

  <S> List<DiscoveredService<S>> services(Class<S> type) {
    List<DiscoveredService<S>> services = new ArrayList<>();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      for (ServiceLoader.Provider<S> provider : ServiceProviders.of(type, loader)) {
        services.add(
            new DiscoveredService<>(
                "plugin '" + name() + "' in " + directory,
                PluginCalls.of(type, provider.get(), loader)));
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw broken(
          directory,
          "its " + type.getSimpleName() + " cannot be used: " + ServiceProviders.reason(e),
          e);
    } finally {
      thread.setContextClassLoader(before);
    }
    return services;
  }

  private static MillraceException broken(Path directory, String reason, Throwable cause) {
    return new MillraceException(
        ErrorKind.USER,
        "Plugin '"
            + directory.getFileName()
            + "' is broken: "
            + reason
            + ". Install it again, or remove the directory "
            + directory
            + ".",
        cause);
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
