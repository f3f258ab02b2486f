package io.millrace.client;

import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Classes in jars, for commands that read values of a program without running it. */
public final class ProgramClasses implements AutoCloseable {
  private final Optional<ProgramClassLoader> loader;

  private ProgramClasses(Optional<ProgramClassLoader> loader) {
    this.loader = loader;
  }

  /** The classes of these jars; none without jars. */
  public static ProgramClasses open(List<Path> jars, Configuration configuration) {
    if (jars.isEmpty()) {
      return new ProgramClasses(Optional.empty());
    }
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars) {
      if (!Files.isRegularFile(jar)) {
        throw new MillraceException(ErrorKind.USER, "Jar " + jar + " does not exist.");
      }
      ProgramJars.check(jar);
      try {
        urls.add(jar.toUri().toURL());
      } catch (MalformedURLException e) {
        throw new IllegalStateException("Every file has a URL: " + jar, e);
      }
    }
    return new ProgramClasses(
        Optional.of(
            new ProgramClassLoader(
                "program",
                urls,
                ProgramClasses.class.getClassLoader(),
                ProgramClassLoader.parentFirst(configuration))));
  }

  public Optional<ClassLoader> loader() {
    return loader.map(ClassLoader.class::cast);
  }

  @Override
  public void close() {
    loader.ifPresent(
        open -> {
          try {
            open.close();
          } catch (IOException e) {
            throw new UncheckedIOException("Jars of the program cannot be closed", e);
          }
        });
  }
}
