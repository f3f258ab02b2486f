package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.testing.Behaviour;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ProcessDirectoryTest {
  @TempDir private Path parent;

  /** Creates a directory, prints its path and waits. */
  static final class OtherProcess {
    private OtherProcess() {}

    public static void main(String[] args) throws IOException {
      Path path = create(Path.of(args[0])).path();
      Files.writeString(path.resolve("state"), "large");
      System.out.println(path);
      System.in.read();
    }
  }

  private static ProcessDirectory create(Path parent) {
    return ProcessDirectory.create(
        Configuration.EMPTY.with(CoreOptions.TMP_DIRS, parent.toString()), "test");
  }

  @Test
  @Behaviour("B1: the next process deletes the temporary files of a killed one, and of no other")
  void leftOversOfKilledProcessesAreDeletedByTheNext() throws Exception {
    Path foreign = Files.createDirectory(parent.resolve("millrace-notes"));
    ProcessDirectory first = create(parent);
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                parent.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8))) {
      String line = out.readLine();
      while (line != null && !line.startsWith(parent.toString())) {
        line = out.readLine(); // A line of the log.
      }
      assertThat(line).as("the path of the other process").isNotNull();
      Path left = Path.of(line);
      ProcessDirectory second = create(parent);
      assertThat(left.resolve("state")).as("of a living process").exists();

      other.destroyForcibly();
      other.waitFor();
      ProcessDirectory third = create(parent);
      assertThat(left).as("of a killed process").doesNotExist();
      assertThat(first.path()).exists();
      assertThat(second.path()).exists();
      third.delete();
      second.delete();
      first.delete();
      assertThat(parent).isDirectoryContaining(path -> path.equals(foreign));
      assertThat(first.path()).doesNotExist();
    } finally {
      other.destroyForcibly();
      other.waitFor();
    }
  }
}
