package io.millrace.core.plugin;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The jars of one directory, and the loader that has them. */
final class Plugin implements AutoCloseable {
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

  static Plugin load(Path directory, List<Path> jars, List<String> fromEngine) {
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars) {
      // The loader itself would pass over a jar it cannot read, and classes would be missing later.
      try {
        new JarFile(jar.toFile()).close();
        urls.add(jar.toUri().toURL());
      } catch (IOException e) {
        throw broken(
            directory, "jar " + jar.getFileName() + " cannot be read: " + Failure.sentence(e), e);
      }
    }
    return new Plugin(
        directory,
        new PluginClassLoader(
            "plugin " + directory.getFileName(), urls, Plugin.class.getClassLoader(), fromEngine));
  }

  String name() {
    return directory.getFileName().toString();
  }

  <S> List<Service<S>> services(Class<S> type) {
    List<Service<S>> services = new ArrayList<>();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      for (ServiceLoader.Provider<S> provider : Providers.of(type, loader)) {
        services.add(
            new Service<>(
                "plugin '" + name() + "' in " + directory,
                PluginCalls.of(type, provider.get(), loader)));
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw broken(
          directory, "its " + type.getSimpleName() + " cannot be used: " + Providers.reason(e), e);
    } finally {
      thread.setContextClassLoader(before);
    }
    return services;
  }

  private static MillraceException broken(Path directory, String why, Throwable cause) {
    return new MillraceException(
        ErrorKind.USER,
        "Plugin '"
            + directory.getFileName()
            + "' is broken: "
            + why
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
