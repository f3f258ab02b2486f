package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.operator.LongFold;
import io.millrace.api.operator.WindowSpec;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Counting and summing, in both forms in which the engine runs them. */
class AggregationsTest {
  private final CountAggregate<String, Integer> count = new CountAggregate<>(String::length);
  private final SumAggregate<String, Integer> sum =
      new SumAggregate<>(String::length, Long::parseLong);

  @Test
  void countIsTheNumberOfRecords() throws Exception {
    assertThat(aggregated(count, List.of("11", "22", "33"))).isEqualTo(new Counted<>(2, 3));
    assertThat(folded(count, 2, List.of("11", "22", "33"))).isEqualTo(new Counted<>(2, 3));
  }

  @Test
  void sumAddsNegativeNumbersToo() throws Exception {
    assertThat(aggregated(sum, List.of("10", "-7", "+5"))).isEqualTo(new Summed<>(2, 8));
    assertThat(folded(sum, 2, List.of("10", "-7", "+5"))).isEqualTo(new Summed<>(2, 8));
  }

  @Test
  void overflowOfASumFailsInsteadOfWrapping() throws Exception {
    String largest = Long.toString(Long.MAX_VALUE);
    String smallest = Long.toString(Long.MIN_VALUE);

    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> aggregated(sum, List.of(largest, "1")));
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> folded(sum, 1, List.of(smallest, "-1")));
    assertThat(folded(sum, 1, List.of(largest, smallest))).isEqualTo(new Summed<>(1, -1));
  }

  /** The engine chooses the form; a program sees no difference. */
  @Test
  void bothFormsGiveTheSameResult() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      List<String> records = new ArrayList<>();
      int size = random.nextInt(1, 50);
      for (int i = 0; i < size; i++) {
        records.add(Integer.toString(random.nextInt(100_000, 999_999)));
      }

      assertThat(folded(count, 6, records))
          .as("seed %d", seed)
          .isEqualTo(aggregated(count, records));
      assertThat(folded(sum, 6, records)).as("seed %d", seed).isEqualTo(aggregated(sum, records));
    }
  }

  @Test
  void accumulatorsOfTwoKeysAreIndependent() throws Exception {
    KeyedAccumulator<Integer> one = count.add(count.create(), "a");
    KeyedAccumulator<Integer> two = count.add(count.add(count.create(), "bb"), "cc");

    assertThat(count.result(one)).isEqualTo(new Counted<>(1, 1));
    assertThat(count.result(two)).isEqualTo(new Counted<>(2, 2));
  }

  private static final class Unmergeable implements AggregateFunction<String, String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String create() {
      return "";
    }

    @Override
    public String add(String accumulator, String record) {
      return record;
    }

    @Override
    public String result(String accumulator) {
      return accumulator;
    }
  }

  @Test
  void countsAndSumsOfPartsOfAWindowMerge() throws Exception {
    KeyedAccumulator<Integer> some = count.add(count.add(count.create(), "bb"), "cc");

    assertThat(count.result(count.merge(some, count.add(count.create(), "dd"))))
        .isEqualTo(new Counted<>(2, 3));
    assertThat(count.result(count.merge(count.create(), some))).isEqualTo(new Counted<>(2, 3));
  }

  @Test
  void aggregationThatCannotMergeSaysSoByItsClass() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> new Unmergeable().merge("left", "right"))
        .withMessage(
            Unmergeable.class.getName()
                + " cannot merge accumulators; override AggregateFunction.merge.");
  }

  @Test
  void contentOfAWindowPassesThroughUnchanged() {
    List<Object> emitted = new ArrayList<>();

    WindowSpec.PassThrough.INSTANCE.process("key", null, List.of(1, 2), emitted::add);

    assertThat(emitted).containsExactly(1, 2);
  }

  private static <T, A, R> R aggregated(AggregateFunction<T, A, R> function, List<T> records)
      throws Exception {
    A accumulator = function.create();
    for (T record : records) {
      accumulator = function.add(accumulator, record);
    }
    return function.result(accumulator);
  }

  private static <T, K, R> R folded(LongFold<T, K, R> function, K key, List<T> records)
      throws Exception {
    long number = 0;
    for (T record : records) {
      number = function.fold(number, record);
    }
    return function.result(key, number);
  }
}
