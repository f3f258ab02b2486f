package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.sim.scenario.ScenarioKind;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DigestCheckTest {
  @Test
  @Behaviour("Simulation: one seed gives the same run, byte for byte, in each JVM")
  void runsAreIdenticalInTwoJvms() throws Exception {
    SimOptions options = SimOptions.of(new String[0]);
    List<Long> seeds = LongStream.range(0, 2L * ScenarioKind.values().length).boxed().toList();
    List<String> here = seeds.stream().map(seed -> DigestCheck.line(options, seed)).toList();
    assertThat(here).doesNotHaveDuplicates().allMatch(line -> line.contains(" passed "));
    assertThat(DigestCheck.inOtherJvm(options, seeds)).isEqualTo(here);
  }
}
