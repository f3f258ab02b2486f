package io.millrace.cli.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryBoxTest {
  @Test
  void partsAreInsideTheBoxOfTheWhole() {
    List<String> lines =
        MemoryBox.of(
                "process",
                3 << 20,
                MemoryBox.of("heap", 2 << 20, MemoryBox.of("task", 1 << 20)),
                MemoryBox.of("overhead", 1000))
            .lines();
    assertThat(lines).allMatch(line -> line.length() == 76);
    assertThat(lines.get(0)).startsWith("+- process -").endsWith("- 3 mb (3145728 bytes) -+");
    assertThat(lines.get(1)).startsWith("| +- heap -").endsWith("- 2 mb (2097152 bytes) -+ |");
    assertThat(lines.get(2)).startsWith("| |    task ").endsWith(" 1 mb (1048576 bytes)    | |");
    assertThat(lines.get(3)).matches("\\| \\+-{70}\\+ \\|");
    assertThat(lines.get(4)).startsWith("|    overhead ").doesNotContain("(1000 bytes)");
    assertThat(lines.get(5)).matches("\\+-{74}\\+");
    assertThat(lines).hasSize(6);
  }

  @Test
  void linesAreAscii() {
    assertThat(MemoryBox.of("heap", 1L << 40, MemoryBox.of("task", 5)).lines())
        .allMatch(line -> line.chars().allMatch(c -> c >= 32 && c < 127));
  }
}
