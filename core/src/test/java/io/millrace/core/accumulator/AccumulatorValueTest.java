package io.millrace.core.accumulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.accumulator.AccumulatorValue.Buckets;
import io.millrace.core.accumulator.AccumulatorValue.DoubleMax;
import io.millrace.core.accumulator.AccumulatorValue.DoubleMin;
import io.millrace.core.accumulator.AccumulatorValue.DoubleSum;
import io.millrace.core.accumulator.AccumulatorValue.IntSum;
import io.millrace.core.accumulator.AccumulatorValue.LongMax;
import io.millrace.core.accumulator.AccumulatorValue.LongMin;
import io.millrace.core.accumulator.AccumulatorValue.LongSum;
import io.millrace.core.accumulator.AccumulatorValue.Mean;
import io.millrace.core.accumulator.AccumulatorValue.Texts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AccumulatorValueTest {
  @Test
  void mergesEachType() {
    assertThat(new IntSum(2).merge(new IntSum(3)).text()).isEqualTo("IntCounter 5");
    assertThat(new LongSum(2).merge(new LongSum(3)).text()).isEqualTo("LongCounter 5");
    assertThat(new DoubleSum(2).merge(new DoubleSum(0.5)).text()).isEqualTo("DoubleCounter 2.5");
    assertThat(new Mean(1, 2).merge(new Mean(3, 8)).text())
        .isEqualTo("AverageAccumulator 2.5 for 4 elements");
    assertThat(new Mean(0, 0).result()).isEqualTo(0.0);
    assertThat(new LongMin(2).merge(new LongMin(3)).text()).isEqualTo("LongMinimum 2");
    assertThat(new LongMax(2).merge(new LongMax(3)).text()).isEqualTo("LongMaximum 3");
    assertThat(new DoubleMin(2).merge(new DoubleMin(3)).text()).isEqualTo("DoubleMinimum 2.0");
    assertThat(new DoubleMax(2).merge(new DoubleMax(3)).text()).isEqualTo("DoubleMaximum 3.0");
    assertThat(new Buckets(Map.of(7, 1), 0).merge(new Buckets(Map.of(7, 2, 1, 1), 0)).text())
        .isEqualTo("{1=1, 7=3}");
    assertThat(new Texts(List.of("a"), 0).merge(new Texts(List.of("b"), 0)).text())
        .isEqualTo("List Accumulator [a, b]");
  }

  @Test
  void boundsMergedListsHistogramsAndNames() {
    Texts texts = new Texts(List.of("x".repeat(2000), "x".repeat(2000)), 0);
    assertThat(texts.merge(texts).text()).endsWith(" and 2 more");
    Map<Integer, Integer> many = new TreeMap<>();
    for (int i = 0; i < AccumulatorValue.MAX_BUCKETS; i++) {
      many.put(i, 1);
    }
    assertThat(new Buckets(many, 0).merge(new Buckets(Map.of(0, 1, -1, 4), 0)).text())
        .startsWith("{0=2, 1=1,")
        .endsWith(" and 4 more");
    Map<String, AccumulatorValue> merged = new LinkedHashMap<>();
    for (int i = 0; i < AccumulatorValue.MAX_NAMES; i++) {
      merged.put("name" + i, new LongSum(i));
    }
    AccumulatorValue.mergeInto(merged, Map.of("name1", new LongSum(4), "other", new LongSum(1)));
    assertThat(merged).hasSize(AccumulatorValue.MAX_NAMES).containsEntry("name1", new LongSum(5));
  }

  @Test
  void keepsTheTypeOfAName() {
    Map<String, AccumulatorValue> merged = new LinkedHashMap<>(Map.of("n", new IntSum(1)));
    AccumulatorValue.mergeInto(merged, Map.of("n", new LongSum(1)));
    assertThat(merged).containsEntry("n", new IntSum(1));
    assertThatThrownBy(() -> new IntSum(1).merge(new LongSum(1)))
        .hasMessageContaining("LongCounter");
  }
}
