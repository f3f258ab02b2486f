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
import java.util.function.Function;

/** A user's program: a jar with a {@code main} method, loaded by a class loader of its own. */
public final class PackagedProgram implements AutoCloseable {
  private final ProgramJars jars;
  private final ProgramClassLoader classes;
  private final Method main;

  private PackagedProgram(ProgramJars jars, ProgramClassLoader classes, Method main) {
    this.jars = jars;
    this.classes = classes;
    this.main = main;
  }

  /** Opens an existing jar, whose manifest names the main class. */
  public static PackagedProgram open(Path jar, Configuration configuration) {
    return open(jar, jars -> manifestMainClass(jars, jar), configuration);
  }

  /** Opens an existing jar with this main class. */
  public static PackagedProgram open(Path jar, String mainClass, Configuration configuration) {
    return open(jar, jars -> mainClass, configuration);
  }

  private static String manifestMainClass(ProgramJars jars, Path jar) {
    return jars.mainClass()
        .orElseThrow(
            () ->
                user(
                    "The manifest of "
                        + jar
                        + " names no main class. Add a Main-Class to it, or name the class with"
                        + " -c.",
                    null));
  }

  private static PackagedProgram open(
      Path jar, Function<ProgramJars, String> mainClass, Configuration configuration) {
    ProgramJars jars = ProgramJars.open(jar, Path.of(configuration.get(CoreOptions.TMP_DIRS)));
    try {
      String name = mainClass.apply(jars);
      return open(jars, jar, name, configuration);
    } catch (RuntimeException e) {
      jars.close();
      throw e;
    }
  }

  private static PackagedProgram open(
      ProgramJars jars, Path jar, String mainClass, Configuration configuration) {
    ProgramClassLoader classes =
        new ProgramClassLoader(
            "program",
            urls(jars.all()),
            PackagedProgram.class.getClassLoader(),
            ProgramClassLoader.parentFirst(configuration));
    try {
      return new PackagedProgram(jars, classes, main(mainClass, jar, classes));
    } catch (RuntimeException e) {
      close(classes);
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
      // Not initialized here: static initializers are code of the program and run in main.
      entry = Class.forName(name, false, classes);
    } catch (ClassNotFoundException e) {
      throw user(
          "Class " + name + " is not in " + jar + ". Check the name; it includes the package.", e);
    } catch (LinkageError e) {
      throw user("Class " + name + " in " + jar + " cannot be loaded: " + e, e);
    }
    Method found;
    try {
      found = entry.getMethod("main", String[].class);
    } catch (NoSuchMethodException e) {
      throw noMain(name, jar, "has no such public method", e);
    } catch (LinkageError e) {
      throw user("Class " + name + " in " + jar + " cannot be loaded: " + e, e);
    }
    if (!Modifier.isStatic(found.getModifiers())) {
      throw noMain(name, jar, "has a main that is not static", null);
    }
    if (found.getReturnType() != void.class) {
      throw noMain(name, jar, "has a main that returns a value", null);
    }
    // The class need not be public, as for the java command.
    found.setAccessible(true);
    return found;
  }

  private static MillraceException noMain(String name, Path jar, String what, Throwable cause) {
    return user(
        "A program needs a method `public static void main(String[] args)`, but class "
            + name
            + " in "
            + jar
            + " "
            + what
            + ". Name another class with -c.",
        cause);
  }

  /** The jar of the program and the jars nested in it, as files. */
  public List<Path> jars() {
    return jars.all();
  }

  /** The loader of the classes of the program. */
  public ClassLoader classes() {
    return classes;
  }

  /**
   * Runs {@code main} in the calling thread. A {@link MillraceException} of its jobs comes out as
   * it is; any other exception becomes an error with the message of its root cause.
   */
  public void run(ProgramContext context, List<String> arguments) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      context.during(() -> main.invoke(null, (Object) arguments.toArray(new String[0])));
    } catch (InvocationTargetException e) {
      throw failed(e.getCause());
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      // The static initializer of the main class runs before main and is code of the program, too.
      throw failed(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("main is accessible", e);
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
      close(classes);
    } finally {
      jars.close();
    }
  }

  private static void close(ProgramClassLoader classes) {
    try {
      classes.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Jars of the program cannot be closed", e);
    }
  }
}
