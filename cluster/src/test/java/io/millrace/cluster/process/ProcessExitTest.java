package io.millrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessExitTest {
  @TempDir private Path root;
  private WorkerFiles.WorkerPaths paths;

  @BeforeEach
  void create() throws IOException {
    paths = new WorkerFiles(root).paths(new WorkerId("process-1"));
    Files.createDirectories(paths.log().getParent());
  }

  private String describe(int code) throws IOException {
    return ProcessExit.of(OptionalInt.of(code), paths);
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, true", "128, true", "129, false", "137, false"})
  void failureIsAnExitCodeThatNoSignalHas(int code, boolean failure) {
    assertThat(ProcessExit.isFailure(OptionalInt.of(code))).isEqualTo(failure);
  }

  @Test
  void unknownExitIsNoFailure() throws IOException {
    assertThat(ProcessExit.isFailure(OptionalInt.empty())).isFalse();
    assertThat(ProcessExit.of(OptionalInt.empty(), paths)).isEqualTo("its process is gone");
  }

  @Test
  void tellsExitCodeOrSignal() throws IOException {
    assertThat(describe(3)).isEqualTo("exit code 3");
    assertThat(describe(128)).isEqualTo("exit code 128");
    assertThat(describe(137)).isEqualTo("its process was killed by signal 9");
  }

  @Test
  void addsTheLastLinesOfTheOutput() throws IOException {
    Files.writeString(paths.output(), "first\n second \n\n\nthird\nfourth\n");
    assertThat(describe(1)).isEqualTo("exit code 1: second / third / fourth");
    assertThat(describe(134))
        .isEqualTo("its process was killed by signal 6: second / third / fourth");
  }

  @Test
  void addsTheLastLineOfTheLogIfThereIsNoOutput() throws IOException {
    Files.writeString(paths.output(), "\n  \n");
    Files.writeString(paths.log(), "start\nend\n");
    assertThat(describe(1)).isEqualTo("exit code 1: end");
    // The log of a killed process does not help.
    assertThat(describe(143)).isEqualTo("its process was killed by signal 15");
  }

  @Test
  void limitsWhatItReadsAndShows() throws IOException {
    Files.writeString(paths.output(), "x".repeat(1 << 20) + "\nend\n");
    assertThat(describe(1)).hasSizeLessThan(420).endsWith("…");
    Files.writeString(paths.output(), "first\n".repeat(100_000) + "end\n");
    assertThat(describe(1)).isEqualTo("exit code 1: first / first / end");
  }

  @Test
  void outputMayBeAnyBytes() throws IOException {
    Files.write(paths.output(), new byte[] {(byte) 0xff, (byte) 0xc3, '\n', 'o', 'k'});
    assertThat(describe(1)).startsWith("exit code 1: ").endsWith(" / ok");
  }
}
