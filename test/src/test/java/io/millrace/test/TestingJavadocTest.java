package io.millrace.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.api.Counted;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.Summed;
import io.millrace.api.execution.JobClient;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.TumblingProcessingTimeWindows;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples in the Javadoc of this module, which run here. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class TestingJavadocTest {
  record Order(String customer, long time, long cents) implements Serializable {}

  record Payment(String customer, long time, long cents) implements Serializable {}

  @Test
  void sumsTheOrdersOfAWindow() {
    try (StreamHarness<Order, Summed<String>> harness =
        StreamHarness.of(
            orders ->
                orders
                    .keyBy(Order::customer)
                    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                    .sum(Order::cents))) {
      harness.push(new Order("ada", 100, 20), 100).push(new Order("ada", 900, 30), 900);
      harness.watermark(999);
      assertEquals(List.of(new Summed<>("ada", 50)), harness.output());
    }
  }

  @Test
  void joinsOrdersWithPayments() {
    try (TwoInputHarness<Order, Payment, Long> harness =
        TwoInputHarness.of(
            (orders, payments) ->
                orders
                    .join(payments)
                    .where(Order::customer)
                    .equalTo(Payment::customer)
                    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                    .apply((order, payment) -> order.cents() - payment.cents()))) {
      harness.pushFirst(new Order("ada", 100, 120), 100);
      harness.pushSecond(new Payment("ada", 900, 100), 900);
      harness.watermark(999);
      assertEquals(List.of(20L), harness.output());
    }
  }

  @Test
  void countsTheOrdersOfAMinute() {
    try (StreamHarness<Order, Long> harness =
        StreamHarness.of(
            orders ->
                orders
                    .windowAll(TumblingProcessingTimeWindows.of(Duration.ofMinutes(1)))
                    .count())) {
      harness.startingAt(60_000).push(new Order("ada", 0, 120));
      harness.advance(Duration.ofMinutes(1));
      assertEquals(List.of(1L), harness.takeOutput());
    }
  }

  @Test
  void goesOnFromASnapshot() {
    HarnessSnapshot snapshot;
    try (StreamHarness<Order, Counted<String>> harness =
        StreamHarness.of(orders -> orders.keyBy(Order::customer).count())) {
      snapshot = harness.push(new Order("ada", 1, 120)).snapshot();
    }
    try (StreamHarness<Order, Counted<String>> harness =
        StreamHarness.of(orders -> orders.keyBy(Order::customer).count())) {
      harness.parallelism(3).restore(snapshot).push(new Order("ada", 2, 80));
      assertEquals(List.of(new Counted<>("ada", 2)), harness.output());
    }
  }

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(2, 2).configure("execution.checkpointing.interval", "50 ms");

  @Test
  void survivesTheLossOfATaskManager() {
    StreamEnvironment env = CLUSTER.environment();
    env.generate(index -> index).keyBy(index -> index % 10).count().sinkTo(new DiscardSink<>());
    JobClient job = env.executeAsync("counters");
    CLUSTER.checkpoint(job);
    CLUSTER.killTaskManager(job);
    CLUSTER.startTaskManager();
    CLUSTER.awaitRunning(job);
    assertTrue(CLUSTER.restoredCheckpoint(job).isPresent());
  }

  @Test
  void javadocHasTheCodeThatRunsHere() throws IOException {
    String here = words(Files.readString(source("src/test", "TestingJavadocTest")));
    for (String type :
        List.of("Harness", "HarnessSnapshot", "StreamHarness", "TestCluster", "TwoInputHarness")) {
      Matcher javadoc =
          Pattern.compile("<pre>\\{@code\n(.*?)\\}</pre>", Pattern.DOTALL)
              .matcher(Files.readString(source("src/main", type)));
      assertThat(javadoc.find()).as(type).isTrue();
      assertThat(here).contains(words(javadoc.group(1).replaceAll("(?m)^ \\* ?", "")));
    }
  }

  private static Path source(String root, String type) {
    return Path.of(root, "java/io/millrace/test", type + ".java");
  }

  /** Without spaces and line breaks, which the formatter decides. */
  private static String words(String code) {
    return code.replaceAll("\\s+", "");
  }
}
