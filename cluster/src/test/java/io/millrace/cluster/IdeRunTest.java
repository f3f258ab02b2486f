package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the main of a program in another JVM, with only millrace-cluster on its class path. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class IdeRunTest {
  @TempDir Path directory;

  @Test
  @Behaviour("A5: in an IDE the program runs on the embedded cluster")
  void usesAllProcessorsAndLogsNothing() throws Exception {
    Path classes = directory.resolve("classes");
    copy(SomeIdeProgram.class, classes);
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:ActiveProcessorCount=3",
                "-cp",
                classes + File.pathSeparator + classPathOfUsers(),
                SomeIdeProgram.class.getName())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertThat(program.waitFor(2, TimeUnit.MINUTES)).isTrue();
    } finally {
      program.destroyForcibly();
    }
    assertThat(Files.readString(err)).isEmpty();
    assertThat(Files.readAllLines(out)).containsExactly("parallelism 3", "FINISHED");
    assertThat(program.exitValue()).isZero();
  }

  /** Without the test directories, which may contain a configuration of logging. */
  private static String classPathOfUsers() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(all.split(File.pathSeparator))
        .filter(part -> !part.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static void copy(Class<?> type, Path directory) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    Path target = directory.resolve(file);
    Files.createDirectories(target.getParent());
    try (var in = type.getClassLoader().getResourceAsStream(file)) {
      Files.write(target, in.readAllBytes());
    }
  }
}
