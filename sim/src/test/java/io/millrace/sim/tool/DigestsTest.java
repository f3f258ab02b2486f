package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sim.scenario.Kind;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DigestsTest {
  @Test
  void twoJvmsSeeTheSameRunsByteForByte() throws Exception {
    Wishes wishes = Wishes.of(new String[0]);
    List<Long> seeds = LongStream.range(0, 2L * Kind.values().length).boxed().toList();
    List<String> here = seeds.stream().map(seed -> Digests.line(wishes, seed)).toList();
    assertThat(here).doesNotHaveDuplicates().allMatch(line -> line.contains(" passed "));
    assertThat(Digests.elsewhere(wishes, seeds)).isEqualTo(here);
  }
}
