package io.millrace.bench.works;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchTest {
  private record Output(int code, List<String> out, List<String> errors) {}

  private static Output bench(String... arguments) throws IOException, InterruptedException {
    Path tool = Path.of("../tools/bench").toAbsolutePath().normalize();
    assertThat(tool).exists();
    List<String> command = new ArrayList<>(List.of("bash", tool.toString()));
    command.addAll(List.of(arguments));
    Path errors = Files.createTempFile("millrace-bench", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      return new Output(process.exitValue(), out.lines().toList(), Files.readAllLines(errors));
    } finally {
      Files.delete(errors);
    }
  }

  @Test
  @Behaviour(
      "Scale: tools/bench lists its benchmarks without a build and refuses an unknown one in one"
          + " line")
  void listsEveryWorkWithItsDescription() throws Exception {
    Output output = bench();
    assertThat(output.code()).isZero();
    for (Work work : Work.values()) {
      assertThat(output.out())
          .anyMatch(
              line -> line.trim().startsWith(work.shortName() + " ") && line.endsWith(work.what()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"W99", "W3B --peers storm", "W3B --frequency 3", "W3B --peers flink,storm"})
  @Behaviour(
      "Scale: tools/bench lists its benchmarks without a build and refuses an unknown one in one"
          + " line")
  void rejectsUnknownArgumentsInOneLine(String arguments) throws Exception {
    Output output = bench(arguments.split(" "));
    assertThat(output.code()).isEqualTo(2);
    assertThat(output.out()).isEmpty();
    assertThat(output.errors()).singleElement().asString().startsWith("bench: There is no ");
  }

  private static Map<String, Double> run(double rate, double peak) {
    Map<String, Double> run = new LinkedHashMap<>();
    run.put("perCoreSecond", rate);
    run.put("peakRssMb", peak);
    run.put("otherCores", 0.5);
    return run;
  }

  @Test
  @Behaviour(
      "Scale: tools/bench lists its benchmarks without a build and refuses an unknown one in one"
          + " line")
  void comparesMediansWithTheBetterPeer() {
    Map<String, List<Map<String, Double>>> figures = new LinkedHashMap<>();
    figures.put("millrace", List.of(run(9e6, 900), run(12e6, 1000), run(30e6, 1100)));
    figures.put("flink", List.of(run(1e6, 2000), run(3e6, 2000), run(4e6, 2000)));
    figures.put("jet", List.of(run(2e6, 1500), run(2e6, 1600), run(2e6, 1700)));
    BenchReport report = new BenchReport(Work.W3B, figures);
    assertThat(report.rows())
        .containsExactly(
            "| W3B running sum of 10,000 keys | 12 M | 3.00 M | 2.00 M | 4.00 | 3, 0.5 |",
            "| W3B running sum of 10,000 keys: peakRssMb | 1,000 MB | 2,000 MB | 1,600 MB | 0.63 |"
                + " 3, 0.5 |");
    assertThat(report.json()).contains("\"| W3B running sum of 10,000 keys | 12 M |");
  }
}
