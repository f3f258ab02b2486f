package io.millrace.core.classes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import javax.tools.ToolProvider;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.error.BasicErrorMessageFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses classes of AssertJ as a library that both the program and the engine have. */
class ProgramClassLoaderTest {
  private static final ClassLoader PARENT = ProgramClassLoaderTest.class.getClassLoader();

  @TempDir private Path own;

  @Test
  @Behaviour("A4: user classes load child-first, except for parent-first prefixes")
  void libraryOfTheProgramTakesPrecedence() throws Exception {
    copy(BasicErrorMessageFactory.class);
    try (ProgramClassLoader loader = loader(List.of())) {
      Class<?> loaded = loader.loadClass(BasicErrorMessageFactory.class.getName());
      assertThat(loaded).isNotSameAs(BasicErrorMessageFactory.class);
      assertThat(loaded.getClassLoader()).isSameAs(loader);
    }
  }

  @Test
  void missingLibrariesComeFromTheEngine() throws Exception {
    try (ProgramClassLoader loader = loader(List.of())) {
      assertThat(loader.loadClass(AbstractAssert.class.getName())).isSameAs(AbstractAssert.class);
    }
  }

  @Test
  @Behaviour("A4: user classes load child-first, except for parent-first prefixes")
  void configuredPrefixesAreLoadedParentFirst() throws Exception {
    copy(BasicErrorMessageFactory.class);
    try (ProgramClassLoader loader = loader(List.of("org.assertj."))) {
      assertThat(loader.loadClass(BasicErrorMessageFactory.class.getName()))
          .isSameAs(BasicErrorMessageFactory.class);
    }
  }

  @Test
  @Behaviour("A4: user classes load child-first, except for parent-first prefixes")
  void classesOfTheEngineAreLoadedOnce() throws Exception {
    copy(Bytes.class);
    try (ProgramClassLoader loader = loader(List.of())) {
      assertThat(loader.loadClass(Bytes.class.getName())).isSameAs(Bytes.class);
    }
  }

  @Test
  void parentFirstClassMissingInTheEngineComesFromTheProgram() throws Exception {
    copy(Bytes.class);
    ClassLoader ignorant = ClassLoader.getPlatformClassLoader();
    try (ProgramClassLoader loader =
        new ProgramClassLoader("test", List.of(own.toUri().toURL()), ignorant, List.of())) {
      assertThat(loader.loadClass(Bytes.class.getName()).getClassLoader()).isSameAs(loader);
    }
  }

  @Test
  void resourcesWithAParentFirstPrefixAreFound() throws Exception {
    Path file = own.resolve("io/millrace/thing.txt");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "mine");
    try (ProgramClassLoader loader = loader(List.of("io.millrace."))) {
      assertThat(loader.getResource("io/millrace/thing.txt")).isEqualTo(file.toUri().toURL());
      assertThatThrownBy(() -> loader.loadClass("io.millrace.NoSuchThing"))
          .isInstanceOf(ClassNotFoundException.class);
    }
  }

  @Test
  void resourcesOfTheProgramPrecedeThoseOfTheEngine() throws Exception {
    copy(BasicErrorMessageFactory.class);
    String name = BasicErrorMessageFactory.class.getName().replace('.', '/') + ".class";
    try (ProgramClassLoader loader = loader(List.of())) {
      List<URL> found = Collections.list(loader.getResources(name));
      assertThat(found).hasSize(2);
      assertThat(found.get(0)).isEqualTo(own.resolve(name).toUri().toURL());
      assertThat(loader.getResource(name)).isEqualTo(found.get(0));
    }
  }

  @Test
  void librariesOfTheEngineAreHidden(@TempDir Path engine) throws Exception {
    Path service = engine.resolve("META-INF/services/java.lang.Runnable");
    Path other = engine.resolve("META-INF/services/java.lang.Iterable");
    compile(engine, "com.fasterxml.jackson.Mapper");
    Files.createDirectories(service.getParent());
    Files.writeString(service, "# of the engine\ncom.fasterxml.jackson.Mapper\n");
    Files.writeString(other, "com.example.Other\n");
    try (URLClassLoader parent = new URLClassLoader(new URL[] {engine.toUri().toURL()}, PARENT)) {
      assertThat(parent.loadClass("com.fasterxml.jackson.Mapper")).isNotNull();
      try (ProgramClassLoader loader = over(parent, List.of())) {
        assertThatThrownBy(() -> loader.loadClass("com.fasterxml.jackson.Mapper"))
            .isInstanceOf(ClassNotFoundException.class)
            .hasMessageContaining("add the library to the jar");
        assertThat(loader.getResource("com/fasterxml/jackson/Mapper.class")).isNull();
        assertThat(loader.getResource("META-INF/services/java.lang.Runnable")).isNull();
        assertThat(Collections.list(loader.getResources("META-INF/services/java.lang.Runnable")))
            .isEmpty();
        assertThat(Collections.list(loader.getResources("META-INF/services/java.lang.Iterable")))
            .hasSize(1);
        assertThat(loader.loadClass("org.slf4j.Logger")).isSameAs(org.slf4j.Logger.class);
      }
      try (ProgramClassLoader loader = over(parent, List.of("com.fasterxml.jackson."))) {
        assertThat(loader.loadClass("com.fasterxml.jackson.Mapper").getClassLoader())
            .isSameAs(parent);
      }
      try (ProgramClassLoader loader =
          new ProgramClassLoader("test", List.of(), parent, List.of())) {
        assertThat(loader.loadClass("com.fasterxml.jackson.Mapper").getClassLoader())
            .as("a program without jars has its libraries on the class path")
            .isSameAs(parent);
      }
      compile(own, "com.fasterxml.jackson.Mapper");
      try (ProgramClassLoader loader = over(parent, List.of())) {
        assertThat(loader.loadClass("com.fasterxml.jackson.Mapper").getClassLoader())
            .isSameAs(loader);
      }
    }
  }

  private ProgramClassLoader over(ClassLoader parent, List<String> parentFirst) throws IOException {
    return new ProgramClassLoader("test", List.of(own.toUri().toURL()), parent, parentFirst);
  }

  private static void compile(Path directory, String name) throws IOException {
    int dot = name.lastIndexOf('.');
    Path source = directory.resolve(name.substring(dot + 1) + ".java");
    Files.writeString(
        source,
        "package "
            + name.substring(0, dot)
            + "; public class "
            + name.substring(dot + 1)
            + " implements Runnable { public void run() {} }");
    int errors =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-d", directory.toString(), source.toString());
    assertThat(errors).isZero();
  }

  @Test
  void closedLoaderIsCollected() throws Exception {
    copy(BasicErrorMessageFactory.class);
    WeakReference<ClassLoader> loader = usedAndClosed();
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (loader.get() != null && System.nanoTime() < deadline) {
      System.gc();
    }
    assertThat(loader.get()).isNull();
  }

  private WeakReference<ClassLoader> usedAndClosed() throws Exception {
    ProgramClassLoader loader = loader(List.of());
    assertThat(loader.loadClass(BasicErrorMessageFactory.class.getName()).getClassLoader())
        .isSameAs(loader);
    loader.close();
    assertThatThrownBy(() -> loader.loadClass("sample.Unknown"))
        .isInstanceOf(ClassNotFoundException.class);
    return new WeakReference<>(loader);
  }

  private ProgramClassLoader loader(List<String> parentFirst) throws IOException {
    return new ProgramClassLoader("test", List.of(own.toUri().toURL()), PARENT, parentFirst);
  }

  private void copy(Class<?> type) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    Path target = own.resolve(name);
    Files.createDirectories(target.getParent());
    try (InputStream in = PARENT.getResourceAsStream(name)) {
      Files.copy(in, target);
    }
  }
}
