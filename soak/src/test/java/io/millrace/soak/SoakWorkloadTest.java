package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakWorkloadTest {
  @TempDir Path directory;

  @Test
  void linesSpanTheEventTimeOfTheGenerator() throws IOException {
    SoakWorkload workload = new SoakWorkload(1_000, 10);
    Path file = directory.resolve("lines");
    workload.writeLines(file);
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(50).startsWith("0 0", "1 20").endsWith("49 980");
  }

  @Test
  void recordsHaveAllKeysAndNoOther() {
    SoakWorkload workload = new SoakWorkload(10_000, 16);
    Set<String> keys = new HashSet<>();
    for (long number = 0; number < workload.generated(); number++) {
      keys.add(workload.keyOf(number));
    }
    Set<String> expected = new HashSet<>();
    for (int key = 0; key < 16; key++) {
      expected.add("k" + key);
    }
    assertThat(keys).isEqualTo(expected);
  }
}
