package io.millrace.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.function.MapFunction;
import io.millrace.api.metric.Counter;
import io.millrace.api.metric.Histogram;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import org.junit.jupiter.api.Test;

class HarnessMetricsTest {
  private static final class Measuring implements MapFunction<String, Integer>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient Counter words;
    private transient Histogram lengths;

    @Override
    public void open(RuntimeContext context) {
      words = context.metrics().group("text").counter("words");
      lengths = context.metrics().histogram("lengths");
    }

    @Override
    public void close() {}

    @Override
    public Integer map(String line) {
      words.inc(line.split(" ").length);
      lengths.update(line.length());
      return line.length();
    }
  }

  @Test
  void testReadsTheMetricsOfAFunction() {
    try (StreamHarness<String, Integer> harness =
        StreamHarness.of(lines -> lines.map(new Measuring()).name("Measure"))) {
      harness.parallelism(2).push("to be").push("or not to be");
      assertThat(harness.metric("text.words")).isEqualTo(6);
      assertThat(harness.metric("Measure.lengths")).isEqualTo(2);
      assertThatThrownBy(() -> harness.metric("letters"))
          .hasMessageContaining("Measure.text.words");
    }
  }
}
