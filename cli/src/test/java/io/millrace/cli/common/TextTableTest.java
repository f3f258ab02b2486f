package io.millrace.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    TextTable table = new TextTable("ID", "STATE", "NAME");
    table.row("1", "RUNNING", "a");
    table.row("1234", "OK", "");
    assertThat(printed(table))
        .isEqualTo("ID    STATE    NAME\n1     RUNNING  a\n1234  OK       \n");
  }

  @Test
  void noteStandsBelowItsRowAndDoesNotWidenColumns() {
    TextTable table = new TextTable("ID", "NAME");
    table.row("1", "a");
    table.note("waiting: for something that is longer than all cells");
    table.row("2", "b");
    assertThat(printed(table))
        .isEqualTo(
            "ID  NAME\n1   a\n  waiting: for something that is longer than all cells\n2   b\n");
  }

  private static String printed(TextTable table) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.print(new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }
}
