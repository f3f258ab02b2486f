package io.millrace.worker.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.classes.ProgramClassLoader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserClassesTest {
  @TempDir private Path directory;

  @Test
  void prefersTheJobsOwnClassesAndResources() throws Exception {
    URL old = jar("engine", "sample.Greeting", "engine");
    URL own = jar("job", "sample.Greeting", "job");
    try (ProgramClassLoader parent = loader(old, getClass().getClassLoader());
        ProgramClassLoader loader = loader(own, parent)) {
      assertThat(greeting(parent, "sample.Greeting")).isEqualTo("engine");
      assertThat(greeting(loader, "sample.Greeting")).isEqualTo("job");
      assertThat(read(loader.getResource("note.txt"))).isEqualTo("job");
      List<URL> notes = Collections.list(loader.getResources("note.txt"));
      assertThat(notes).extracting(UserClassesTest::read).containsExactly("job", "engine");
    }
  }

  @Test
  void takesConfiguredClassesFromTheEngineWhereItHasThem() throws Exception {
    URL old = jar("engine", "sample.Greeting", "engine");
    URL own = jar("job", "sample.Greeting", "job");
    URL more = jar("more", "sample.Other", "only the job has it");
    try (ProgramClassLoader parent = loader(old, getClass().getClassLoader());
        ProgramClassLoader loader =
            new ProgramClassLoader("job", List.of(own, more), parent, List.of("sample."))) {
      assertThat(greeting(loader, "sample.Greeting")).isEqualTo("engine");
      assertThat(greeting(loader, "sample.Other")).isEqualTo("only the job has it");
    }
  }

  @Test
  void neverLoadsTheEngineTwice() throws Exception {
    URL classes = getClass().getProtectionDomain().getCodeSource().getLocation();
    try (ProgramClassLoader loader = loader(classes, getClass().getClassLoader())) {
      assertThat(loader.loadClass(getClass().getName())).isSameAs(getClass());
    }
  }

  @Test
  void sharedClassesAreNotClosedWithTheJob() throws Exception {
    ClassLoader mine = getClass().getClassLoader();
    ClassLoader loader =
        UserClasses.shared(mine)
            .load(new io.millrace.core.id.JobId(new io.millrace.core.id.Id128(1, 1)), List.of());
    assertThat(loader).isNotInstanceOf(AutoCloseable.class);
    assertThat(loader.loadClass(getClass().getName())).isSameAs(getClass());
  }

  @Test
  void closedLoaderIsCollected() throws Exception {
    WeakReference<ClassLoader> loader = usedAndClosed(jar("job", "sample.Greeting", "job"));
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (loader.get() != null && System.nanoTime() < deadline) {
      System.gc();
    }
    assertThat(loader.get()).isNull();
  }

  private WeakReference<ClassLoader> usedAndClosed(URL jar) throws Exception {
    ProgramClassLoader loader = loader(jar, getClass().getClassLoader());
    assertThat(greeting(loader, "sample.Greeting")).isEqualTo("job");
    loader.close();
    assertThatThrownBy(() -> loader.loadClass("sample.Unknown"))
        .isInstanceOf(ClassNotFoundException.class);
    return new WeakReference<>(loader);
  }

  private static ProgramClassLoader loader(URL jar, ClassLoader parent) {
    return new ProgramClassLoader("test", List.of(jar), parent, List.of());
  }

  private static String greeting(ClassLoader loader, String type) throws Exception {
    return loader.loadClass(type).getDeclaredConstructor().newInstance().toString();
  }

  /** A jar with one class whose instances print a text, and the text as a resource. */
  private URL jar(String name, String type, String text) throws IOException {
    Path work = Files.createDirectories(directory.resolve(name));
    int dot = type.lastIndexOf('.');
    Path source = work.resolve(type.substring(dot + 1) + ".java");
    Files.writeString(
        source,
        "package "
            + type.substring(0, dot)
            + "; public class "
            + type.substring(dot + 1)
            + " { public String toString() { return \""
            + text
            + "\"; } }");
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-d", work.toString(), source.toString());
    assertThat(result).isZero();
    Path jar = directory.resolve(name + ".jar");
    String entry = type.replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      zip.putNextEntry(new ZipEntry(entry));
      zip.write(Files.readAllBytes(work.resolve(entry)));
      zip.putNextEntry(new ZipEntry("note.txt"));
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return jar.toUri().toURL();
  }

  private static String read(URL resource) {
    try {
      var connection = resource.openConnection();
      connection.setUseCaches(false);
      try (var in = connection.getInputStream()) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
