package io.millrace.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsoleTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "80,80",
    "200,200",
    "9999,9999",
    "40,40",
    "39,40",
    "1,40",
    "0,100",
    "x,100",
    "12345,100",
    "-80,100"
  })
  void widthIsThatOfTheTerminalWithinBounds(String columns, int width) {
    assertThat(cli.with("COLUMNS", columns).console().width()).isEqualTo(width);
  }

  @Test
  void withoutATerminalTheWidthIsAHundred() {
    assertThat(cli.console().width()).isEqualTo(100);
  }

  @Test
  void progressOnATerminalIsReplacedByTheNextLine() {
    ConsoleProgress progress = new ConsoleProgress(cli.with("MILLRACE_TERMINAL", "1").console());
    progress.update("10 %");
    progress.update("20 % done");
    progress.report("Uploaded");
    assertThat(cli.err()).isEqualTo("10 %\r    \r20 % done\r         \rUploaded\n");
  }

  @Test
  void progressOnATerminalFitsIntoOneLine() {
    ConsoleProgress progress =
        new ConsoleProgress(cli.with("MILLRACE_TERMINAL", "1").with("COLUMNS", "40").console());
    progress.update("x".repeat(100));
    assertThat(cli.err()).isEqualTo("x".repeat(39));
  }

  @Test
  void progressInAFileHasOnlyLinesThatStay() {
    ConsoleProgress progress = new ConsoleProgress(cli.console());
    progress.update("10 %");
    progress.report("Uploaded\nthe\u001b jar");
    assertThat(cli.err()).isEqualTo("Uploaded the jar\n");
  }
}
