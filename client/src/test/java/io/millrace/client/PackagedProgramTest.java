package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.ProgramContext;
import io.millrace.client.testing.TestJars;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** One program runs in a process at a time, so these tests do, too. */
@ResourceLock("ProgramContext")
class PackagedProgramTest {
  private static final ProgramContext CONTEXT =
      new ProgramContext(
          program -> {
            throw new IllegalStateException("no job is executed here");
          },
          Configuration.EMPTY);

  @TempDir private Path directory;

  @Test
  @Behaviour("A4: the main class comes from -c, else from the manifest")
  void runsTheMainThatTheManifestNamesWithItsArguments() throws IOException {
    Path touched = directory.resolve("touched");
    Path jar =
        program(
            "p.Main",
            "package p; public class Main { public static void main(String[] a) throws Exception {"
                + " java.nio.file.Files.writeString(java.nio.file.Path.of(a[0]), a[1]); } }");
    try (PackagedProgram program = open(jar)) {
      program.run(CONTEXT, List.of(touched.toString(), "--verbose"));
    }
    assertThat(touched).hasContent("--verbose");
  }

  @Test
  @Behaviour("A4: the main class comes from -c, else from the manifest")
  void namedClassWinsOverTheManifest() {
    Map<String, byte[]> classes = new LinkedHashMap<>(main("p.One", ""));
    classes.putAll(main("p.Two", "throw new IllegalStateException(\"two\");"));
    Path jar = TestJars.jar(directory.resolve("two.jar"), "p.One", classes);
    try (PackagedProgram program = PackagedProgram.open(jar, "p.Two", Configuration.EMPTY)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of())).hasMessageContaining("two");
    }
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void reportsTheRootCauseOfAnExceptionInMain() {
    Path jar =
        program(
            "p.Main",
            body("throw new RuntimeException(new java.io.IOException(\"disk on fire\"));"));
    try (PackagedProgram program = open(jar)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of()))
          .isInstanceOf(MillraceException.class)
          .hasMessage(
              "The program ended with an exception in main of p.Main: java.io.IOException: disk on"
                  + " fire")
          .cause()
          .isInstanceOf(RuntimeException.class);
    }
  }

  @Test
  void doesNotChangeErrorsOfTheEngine() {
    Path jar =
        program(
            "p.Main",
            body(
                "throw new io.millrace.core.error.MillraceException("
                    + "io.millrace.core.error.ErrorKind.USER, \"Lower the parallelism.\");"));
    try (PackagedProgram program = open(jar)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of()))
          .hasMessage("Lower the parallelism.");
    }
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void missingJarNamesThePath() {
    assertRefused(
        () -> ProgramJars.find(directory.resolve("gone.jar").toString()),
        "The jar " + directory.resolve("gone.jar") + " does not exist.");
  }

  @Test
  void relativeJarIsLookedUpInTheDistribution() throws IOException {
    Path jar = Files.createDirectories(directory.resolve("examples")).resolve("only-there.jar");
    Files.createFile(jar);
    assertThat(ProgramJars.find("examples/only-there.jar", directory)).isEqualTo(jar);
  }

  @Test
  void directoryIsRefused() {
    assertRefused(() -> ProgramJars.find(directory.toString()), "is a directory");
  }

  @Test
  void fileThatIsNoJarIsRefused() throws IOException {
    Path text = Files.writeString(directory.resolve("text.jar"), "hello");
    assertRefused(() -> open(text), "is not a jar");
  }

  @Test
  void jarWithoutMainClassIsRefused() {
    Path jar = TestJars.jar(directory.resolve("a.jar"), Map.of());
    assertRefused(() -> open(jar), "names no main class");
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void missingClassIsRefused() {
    Path jar = TestJars.jar(directory.resolve("a.jar"), "p.Gone", Map.of());
    assertRefused(() -> open(jar), "Class p.Gone is not in " + jar);
  }

  @Test
  void classWithoutMainIsRefused() {
    Path jar = program("p.Main", "package p; public class Main {}");
    assertRefused(() -> open(jar), "class p.Main in " + jar + " has no such");
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void mainThatIsNotPublicIsRefused() {
    Path jar =
        program("p.Main", "package p; public class Main { static void main(String[] a) {} }");
    assertRefused(() -> open(jar), "has no such public method");
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void mainThatIsNotStaticIsRefused() {
    Path jar =
        program("p.Main", "package p; public class Main { public void main(String[] a) {} }");
    assertRefused(() -> open(jar), "not static");
  }

  @Test
  @Behaviour("A4: jars under lib/ of the program's jar are on its class path")
  void nestedJarsAreExtractedLoadedAndDeleted() throws IOException {
    Path library =
        TestJars.jar(
            directory.resolve("library.jar"),
            TestJars.compile("q.Word", "package q; public class Word {}"));
    Map<String, byte[]> entries =
        new LinkedHashMap<>(main("p.Main", "Class.forName(\"q.Word\").getName();"));
    entries.put("lib/library.jar", Files.readAllBytes(library));
    entries.put("lib/more/library.jar", Files.readAllBytes(library));
    entries.put("other/ignored.jar", new byte[] {1});
    Path jar = TestJars.jar(directory.resolve("a.jar"), "p.Main", entries);
    Path tmp = Files.createDirectory(directory.resolve("tmp"));
    Configuration configuration = Configuration.EMPTY.with(CoreOptions.TMP_DIRS, tmp);

    try (PackagedProgram program = PackagedProgram.open(jar, configuration)) {
      assertThat(program.jars()).hasSize(3).first().isEqualTo(jar);
      assertThat(program.jars().get(1)).startsWith(tmp).exists();
      program.run(CONTEXT, List.of());
    }
    try (Stream<Path> left = Files.list(tmp)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void mainThatReturnsAValueIsRefused() {
    Path jar =
        program(
            "p.Main",
            "package p; public class Main { public static int main(String[] a) { return 1; } }");
    assertRefused(() -> open(jar), "has a main that returns a value. Name another class with -c.");
  }

  @Test
  void mainOfAClassThatIsNotPublicRuns() {
    Path jar =
        program("p.Main", body("throw new Exception(\"ran\");").replace("public class", "class"));
    try (PackagedProgram program = open(jar)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of())).hasMessageContaining("ran");
    }
  }

  @Test
  void openingAProgramRunsNoneOfItsCode() {
    Path touched = directory.resolve("touched");
    Path jar =
        program(
            "p.Main",
            "package p; public class Main { static { try { java.nio.file.Files.createFile("
                + "java.nio.file.Path.of(\""
                + touched
                + "\")); } catch (java.io.IOException e) { throw new RuntimeException(e); } }"
                + " public static void main(String[] a) {} }");
    try (PackagedProgram program = open(jar)) {
      assertThat(touched).doesNotExist();
      program.run(CONTEXT, List.of());
      assertThat(touched).exists();
    }
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void exceptionInAStaticInitializerIsReportedAsOneInMain() {
    Path jar =
        program(
            "p.Main",
            "package p; public class Main { static int x = Integer.parseInt(\"many\");"
                + " public static void main(String[] a) {} }");
    try (PackagedProgram program = open(jar)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of()))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageStartingWith("The program ended with an exception in main of p.Main: ")
          .hasMessageContaining("NumberFormatException: For input string: \"many\"");
    }
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void missingClassInMainIsReportedWithItsName() {
    Path jar =
        TestJars.jar(
            directory.resolve("a.jar"),
            "p.Main",
            main("p.Main", "throw new NoClassDefFoundError(\"q/Missing\");"));
    try (PackagedProgram program = open(jar)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of()))
          .hasMessageEndingWith("p.Main: java.lang.NoClassDefFoundError: q/Missing");
    }
  }

  @Test
  @Behaviour("A4: user classes load child-first, except for parent-first prefixes")
  void classesOfTheProgramComeBeforeThoseOfTheEngine() {
    String name = "org.assertj.core.util.Strings";
    Map<String, byte[]> classes =
        new LinkedHashMap<>(
            TestJars.compile(
                name,
                "package org.assertj.core.util; public class Strings {"
                    + " public static String own() { return \"of the program\"; } }"));
    classes.putAll(
        main(
            "p.Main",
            "throw new Exception((String) Class.forName(\""
                + name
                + "\").getMethod(\"own\").invoke(null));"));
    Path jar = TestJars.jar(directory.resolve("own.jar"), "p.Main", classes);
    try (PackagedProgram program = open(jar)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of()))
          .hasMessageContaining("of the program");
    }
    Configuration parentFirst =
        Configuration.EMPTY.with(
            CoreOptions.PARENT_FIRST_PATTERNS_ADDITIONAL, List.of("org.assertj."));
    try (PackagedProgram program = PackagedProgram.open(jar, parentFirst)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of()))
          .hasMessageContaining("NoSuchMethodException");
    }
  }

  @Test
  void contextClassLoaderIsThatOfTheProgramOnlyWhileMainRuns() {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Path jar =
        program(
            "p.Main",
            body("Thread.currentThread().getContextClassLoader().loadClass(\"p.Main\");"));
    try (PackagedProgram program = open(jar)) {
      program.run(CONTEXT, List.of());
      assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }
    Path failing = program("p.Main", body("throw new Error();"));
    try (PackagedProgram program = open(failing)) {
      assertThatThrownBy(() -> program.run(CONTEXT, List.of())).isNotNull();
      assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }
  }

  @Test
  void manifestMayHaveBlanksAroundTheMainClass() {
    Path jar = TestJars.jar(directory.resolve("a.jar"), "  p.Main ", main("p.Main", ""));
    try (PackagedProgram program = open(jar)) {
      program.run(CONTEXT, List.of());
      assertThat(program.jars()).containsExactly(jar);
    }
  }

  @Test
  void nestedJarsOfAProgramThatCannotBeOpenedAreDeleted() throws IOException {
    Path tmp = Files.createDirectory(directory.resolve("tmp"));
    Map<String, byte[]> entries = new LinkedHashMap<>();
    entries.put("lib/library.jar", new byte[] {1});
    Path jar = TestJars.jar(directory.resolve("a.jar"), "p.Gone", entries);
    Configuration configuration = Configuration.EMPTY.with(CoreOptions.TMP_DIRS, tmp);
    assertRefused(() -> PackagedProgram.open(jar, configuration), "Class p.Gone is not in");
    assertThat(tmp).isEmptyDirectory();
  }

  @Test
  @Behaviour("A4: jars under lib/ of the program's jar are on its class path")
  void nestedJarWithAPathOutsideIsExtractedIntoTheTemporaryDirectory() throws IOException {
    Path tmp = Files.createDirectory(directory.resolve("tmp"));
    Map<String, byte[]> entries = new LinkedHashMap<>(main("p.Main", ""));
    entries.put("lib/../../../outside.jar", new byte[] {1});
    Path jar = TestJars.jar(directory.resolve("a.jar"), "p.Main", entries);
    Configuration configuration = Configuration.EMPTY.with(CoreOptions.TMP_DIRS, tmp);
    try (PackagedProgram program = PackagedProgram.open(jar, configuration)) {
      assertThat(program.jars().get(1)).startsWith(tmp).hasFileName("0-outside.jar").exists();
    }
    assertThat(tmp).isEmptyDirectory();
  }

  @Test
  void currentDirectoryComesBeforeTheDistribution() throws IOException {
    Path absolute = Files.createFile(directory.resolve("here.jar"));
    Path home = Files.createDirectory(directory.resolve("home"));
    assertThat(ProgramJars.find(absolute.toString(), home)).isEqualTo(absolute);
    assertRefused(
        () -> ProgramJars.find("nowhere.jar", home),
        "The jar " + Path.of("nowhere.jar").toAbsolutePath() + " does not exist.");
  }

  @Test
  void fileThatCannotBeReadIsRefused() {
    assertRefused(() -> open(directory.resolve("gone.jar")), "cannot be read");
  }

  private Path program(String name, String source) {
    return TestJars.jar(directory.resolve("program.jar"), name, TestJars.compile(name, source));
  }

  private static Map<String, byte[]> main(String name, String statements) {
    String simple = name.substring(name.lastIndexOf('.') + 1);
    return TestJars.compile(name, body(statements).replace("class Main", "class " + simple));
  }

  private static String body(String statements) {
    return "package p; public class Main { public static void main(String[] a) throws Exception {"
        + statements
        + "} }";
  }

  private static PackagedProgram open(Path jar) {
    return PackagedProgram.open(jar, Configuration.EMPTY);
  }

  private static void assertRefused(Runnable action, String message) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(message);
  }
}
