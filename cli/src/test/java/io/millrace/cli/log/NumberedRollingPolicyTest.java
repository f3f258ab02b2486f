package io.millrace.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.rolling.RolloverFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NumberedRollingPolicyTest {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void prepare() {
    file = directory.resolve("a%d.log");
  }

  @Test
  void renamesFilesAndDeletesTheOldest() throws IOException {
    NumberedRollingPolicy policy = new NumberedRollingPolicy(file, 2);
    for (int i = 1; i <= 4; i++) {
      Files.writeString(file, "log " + i);
      policy.rollover();
    }
    assertThat(file).doesNotExist();
    assertThat(directory.resolve("a%d.log.1")).hasContent("log 4");
    assertThat(directory.resolve("a%d.log.2")).hasContent("log 3");
    assertThat(directory.resolve("a%d.log.3")).doesNotExist();
  }

  @Test
  void namesTheFileThatCannotBeRenamed() {
    NumberedRollingPolicy policy = new NumberedRollingPolicy(file, 2);
    assertThatThrownBy(policy::rollover)
        .isInstanceOf(RolloverFailure.class)
        .hasMessage("The log file " + file + " cannot be renamed");
  }

  @Test
  void activeFileIsTheOneWithoutANumber() {
    NumberedRollingPolicy policy = new NumberedRollingPolicy(file, 2);
    assertThat(policy.getActiveFileName()).isEqualTo(file.toString());
    assertThat(policy.isStarted()).isFalse();
    policy.start();
    assertThat(policy.isStarted()).isTrue();
    policy.stop();
    assertThat(policy.isStarted()).isFalse();
  }
}
