package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.tuple.Tuple2;
import io.millrace.api.tuple.Tuple3;
import io.millrace.api.tuple.Tuple4;
import io.millrace.api.tuple.Tuple5;
import io.millrace.api.tuple.Tuple6;
import io.millrace.api.tuple.Tuple7;
import io.millrace.api.tuple.Tuple8;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tuples pass between processes, and are keys. */
class TuplesTest {
  @Test
  void tuplesAreRecordsAndKeysBetweenProcesses() {
    List<Object> tuples =
        List.of(
            Tuple2.of(1, "a"),
            Tuple3.of(1, "a", 2L),
            Tuple4.of(1, "a", 2L, 'c'),
            Tuple5.of(1, "a", 2L, 'c', 0.5),
            Tuple6.of(1, "a", 2L, 'c', 0.5, true),
            Tuple7.of(1, "a", 2L, 'c', 0.5, true, List.of("x")),
            Tuple8.of(1, "a", 2L, 'c', 0.5, true, List.of("x"), Tuple2.of("in", "it")));
    try (TestHosts hosts = new TestHosts(2)) {
      TestRun run =
          hosts.run(
              1,
              new Random(3),
              env -> {
                env.fromCollection(tuples).rebalance().map(tuple -> tuple).collectAs("same");
                env.generate(index -> Tuple3.of(index % 5, "text", index), 100)
                    .keyBy(tuple -> Tuple2.of(tuple.f0(), tuple.f1()))
                    .sum(Tuple3::f2)
                    .map(sum -> sum.key().f0() + " " + sum.sum())
                    .collectAs("sums");
              });
      assertThat(sorted(run.collected("same"))).isEqualTo(sorted(tuples));
      assertThat(run.collected("sums").stream().map(String::valueOf).toList())
          .hasSize(100)
          .contains("0 950", "1 970", "2 990", "3 1010", "4 1030");
    }
  }
}
