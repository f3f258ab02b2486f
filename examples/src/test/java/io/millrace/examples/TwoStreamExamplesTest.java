package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.test.StreamHarness;
import io.millrace.test.TwoInputHarness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples with two streams and with requests, step by step. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class TwoStreamExamplesTest {
  @Test
  void ruleHoldsFromItsTimeOnWhicheverStreamIsFaster() {
    List<BroadcastRules.Order> orders =
        List.of(
            new BroadcastRules.Order(0, "ada", 100),
            new BroadcastRules.Order(10, "ada", 100),
            new BroadcastRules.Order(20, "ada", 100),
            new BroadcastRules.Order(30, "ada", 100));
    List<BroadcastRules.Rule> rules =
        List.of(
            new BroadcastRules.Rule(10, "hundred", 100),
            new BroadcastRules.Rule(20, "hundred", 101),
            new BroadcastRules.Rule(25, "hundred", 50),
            new BroadcastRules.Rule(30, "hundred", -1));
    for (long seed = 1; seed <= 5; seed++) {
      Random random = new Random(seed);
      List<Object> all = new ArrayList<>();
      List<BroadcastRules.Order> left = new ArrayList<>(orders);
      List<BroadcastRules.Rule> right = new ArrayList<>(rules);
      while (!left.isEmpty() || !right.isEmpty()) {
        boolean order = right.isEmpty() || !left.isEmpty() && random.nextBoolean();
        all.add(order ? left.remove(0) : right.remove(0));
      }
      try (TwoInputHarness<BroadcastRules.Order, BroadcastRules.Rule, String> harness =
          TwoInputHarness.of(BroadcastRules::judged)) {
        harness.parallelism(1 + random.nextInt(3));
        for (Object each : all) {
          if (each instanceof BroadcastRules.Order order) {
            harness.pushFirst(order);
          } else {
            harness.pushSecond((BroadcastRules.Rule) each);
          }
          harness.advance(Duration.ofMillis(random.nextInt(300)));
        }
        assertThat(harness.broadcastState(BroadcastRules.RULES)).as("seed %s", seed).hasSize(4);
        assertThat(harness.end().output())
            .as("seed %s", seed)
            .containsExactly("10\tada\t100\thundred");
      }
    }
  }

  @Test
  void orderIsUnpaidWhenItsIntervalHasPassed() {
    try (TwoInputHarness<OrdersAndPayments.Order, OrdersAndPayments.Payment, String> harness =
        TwoInputHarness.of(
            (orders, payments) ->
                OrdersAndPayments.joined(orders, payments, Duration.ofSeconds(10)))) {
      harness.pushFirst(new OrdersAndPayments.Order(1, 0));
      harness.pushFirst(new OrdersAndPayments.Order(2, 1_000));
      harness.pushFirst(new OrdersAndPayments.Order(3, 2_000));
      harness.pushSecond(new OrdersAndPayments.Payment(2, 11_000));
      harness.pushSecond(new OrdersAndPayments.Payment(3, 12_001));
      assertThat(harness.takeOutput()).containsExactly("2\tpaid\t10000");
      assertThat(harness.end().takeOutput()).containsExactlyInAnyOrder("1\tunpaid", "3\tunpaid");
    }
  }

  @Test
  void requestThatTheDirectoryRefusesIsRepeated() {
    try (StreamHarness<Enrichment.Order, String> harness =
        StreamHarness.of(orders -> Enrichment.enriched(orders, 4))) {
      harness.push(new Enrichment.Order(1, 0, 10)).awaitOutput(1);
      harness.push(new Enrichment.Order(2, 6, 20)).awaitOutput(2);
      assertThat(harness.output()).containsExactly("1\tAda\tLondon\t10", "2\tunknown\t-\t20");
      harness.push(new Enrichment.Order(3, 1, 30));
      while (harness.output().size() < 3) {
        // The delay before the second attempt is one of the harness.
        harness.advance(Duration.ofMillis(20));
      }
      assertThat(harness.output()).last().isEqualTo("3\tBlaise\tParis\t30");
    }
  }

  @Test
  void generatedInputHasAllCases() {
    assertThat(
            LongStream.range(0, 15)
                .mapToObj(OrdersAndPayments.Payment::of)
                .map(payment -> payment.time() - payment.order() * 1_000))
        .anyMatch(delay -> delay > 10_000)
        .anyMatch(delay -> delay <= 10_000);
  }
}
