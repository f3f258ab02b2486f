package io.millrace.client;

import io.millrace.api.execution.ProgramContext;
import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A user's program: a jar with a {@code main}, loaded apart from the engine. */
public final class PackagedProgram implements AutoCloseable {
  private final ProgramJars jars;
  private final ProgramClassLoader classes;
  private final Method main;

  private PackagedProgram(ProgramJars jars, ProgramClassLoader classes, Method main) {
    this.jars = jars;
    this.classes = classes;
    this.main = main;
  }

  /**
   * @param jar an existing file
   * @param mainClass where the program starts; by default the jar's manifest says it
   */
  public static PackagedProgram open(
      Path jar, Optional<String> mainClass, Configuration configuration) {
    ProgramJars jars = ProgramJars.open(jar, Path.of(configuration.get(CoreOptions.TMP_DIRS)));
    try {
      String name =
          mainClass
              .or(jars::mainClass)
              .orElseThrow(
                  () ->
                      user(
                          "The manifest of "
                              + jar
                              + " names no main class. Add a Main-Class to it, or name the class"
                              + " with -c.",
                          null));
      ProgramClassLoader classes =
          new ProgramClassLoader(
              "program",
              urls(jars.all()),
              PackagedProgram.class.getClassLoader(),
              ProgramClassLoader.parentFirst(configuration));
      return new PackagedProgram(jars, classes, main(name, jar, classes));
    } catch (RuntimeException e) {
      jars.close();
      throw e;
    }
  }

  private static List<URL> urls(List<Path> files) {
    List<URL> urls = new ArrayList<>();
    for (Path file : files) {
      try {
        urls.add(file.toUri().toURL());
      } catch (MalformedURLException e) {
        throw new IllegalStateException("Every file has a URL: " + file, e);
      }
    }
    return urls;
  }

  private static Method main(String name, Path jar, ProgramClassLoader classes) {
    Class<?> entry;
    try {
      // Initialising it would already run code of the program, outside of main.
      entry = Class.forName(name, false, classes);
    } catch (ClassNotFoundException e) {
      throw user(
          "Class " + name + " is not in " + jar + ". Check the name, its package included.", e);
    } catch (LinkageError e) {
      throw user("Class " + name + " in " + jar + " cannot be loaded: " + e, e);
    }
    Method found;
    try {
      found = entry.getMethod("main", String[].class);
    } catch (NoSuchMethodException e) {
      throw noMain(name, jar, "has no such method", e);
    } catch (LinkageError e) {
      throw user("Class " + name + " in " + jar + " cannot be loaded: " + e, e);
    }
    if (!Modifier.isStatic(found.getModifiers())) {
      throw noMain(name, jar, "has one that is not static", null);
    }
    if (found.getReturnType() != void.class) {
      throw noMain(name, jar, "has one that returns something", null);
    }
    // As the java command does, a main of a class that is not public itself is accepted.
    found.setAccessible(true);
    return found;
  }

  private static MillraceException noMain(String name, Path jar, String what, Throwable cause) {
    return user(
        "A program starts at `public static void main(String[] args)`, but class "
            + name
            + " in "
            + jar
            + " "
            + what
            + ". Name another class with -c.",
        cause);
  }

  /** The program's own jar and those nested in it, as files. */
  public List<Path> jars() {
    return jars.all();
  }

  /**
   * Runs {@code main} in the calling thread. A {@link MillraceException} of its jobs comes out as
   * it is; everything else that is thrown is told by its root cause.
   */
  public void run(ProgramContext context, List<String> arguments) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      context.during(() -> main.invoke(null, (Object) arguments.toArray(new String[0])));
    } catch (InvocationTargetException e) {
      throw failed(e.getCause());
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("main was made accessible", e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private MillraceException failed(Throwable thrown) {
    if (thrown instanceof MillraceException known) {
      return known;
    }
    Throwable root = thrown;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return user(
        "The program ended with an exception in main of "
            + main.getDeclaringClass().getName()
            + ": "
            + root,
        thrown);
  }

  private static MillraceException user(String message, Throwable cause) {
    return new MillraceException(ErrorKind.USER, message, cause);
  }

  @Override
  public void close() {
    try {
      classes.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Jars of the program cannot be closed", e);
    } finally {
      jars.close();
    }
  }
}
