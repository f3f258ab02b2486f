package io.millrace.core.accumulator;

import io.millrace.core.OrderedCopies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The value of an accumulator in one task, or merged over tasks. */
public sealed interface AccumulatorValue {
  /** Maximum number of accumulators of a task, and of distinct names in a job's result. */
  int MAX_NAMES = 64;

  /** Maximum length of the name of an accumulator. */
  int MAX_NAME_LENGTH = 128;

  /** Maximum number of buckets of a histogram. */
  int MAX_BUCKETS = 512;

  /** Maximum number of characters of the elements of a list in one task. */
  int MAX_LIST_CHARACTERS = 2048;

  /** Maximum number of characters of a list that is merged over tasks. */
  int MAX_MERGED_CHARACTERS = 4096;

  /** The name of the type that clients show. */
  String type();

  /** The value as a type of the JDK: a number, a map or a list. */
  Object result();

  /**
   * The value over the tasks of both.
   *
   * @throws IllegalArgumentException if the other one has another type
   */
  AccumulatorValue merge(AccumulatorValue other);

  /** A bound of the size of this value in a message. */
  default int size() {
    return 32;
  }

  /** The text that clients show. */
  default String text() {
    return type() + " " + result();
  }

  private static <V extends AccumulatorValue> V same(Class<V> type, AccumulatorValue other) {
    if (!type.isInstance(other)) {
      throw new IllegalArgumentException(
          "An accumulator of the type " + other.type() + " has the name of one of another type");
    }
    return type.cast(other);
  }

  /** A sum of {@code int}. */
  record IntSum(int value) implements AccumulatorValue {
    @Override
    public String type() {
      return "IntCounter";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new IntSum(value + AccumulatorValue.same(IntSum.class, other).value);
    }
  }

  /** A sum of {@code long}. */
  record LongSum(long value) implements AccumulatorValue {
    @Override
    public String type() {
      return "LongCounter";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new LongSum(value + AccumulatorValue.same(LongSum.class, other).value);
    }
  }

  /** A sum of {@code double}. */
  record DoubleSum(double value) implements AccumulatorValue {
    @Override
    public String type() {
      return "DoubleCounter";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new DoubleSum(value + AccumulatorValue.same(DoubleSum.class, other).value);
    }
  }

  /** The mean of {@code count} numbers; 0 of none. */
  record Mean(long count, double sum) implements AccumulatorValue {
    @Override
    public String type() {
      return "AverageAccumulator";
    }

    @Override
    public Object result() {
      return count == 0 ? 0.0 : sum / count;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      Mean mean = AccumulatorValue.same(Mean.class, other);
      return new Mean(count + mean.count, sum + mean.sum);
    }

    @Override
    public String text() {
      return type() + " " + result() + " for " + count + " elements";
    }
  }

  /** The smallest {@code long}; {@link Long#MAX_VALUE} of none. */
  record LongMin(long value) implements AccumulatorValue {
    @Override
    public String type() {
      return "LongMinimum";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new LongMin(Math.min(value, AccumulatorValue.same(LongMin.class, other).value));
    }
  }

  /** The largest {@code long}; {@link Long#MIN_VALUE} of none. */
  record LongMax(long value) implements AccumulatorValue {
    @Override
    public String type() {
      return "LongMaximum";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new LongMax(Math.max(value, AccumulatorValue.same(LongMax.class, other).value));
    }
  }

  /** The smallest {@code double}; positive infinity of none. */
  record DoubleMin(double value) implements AccumulatorValue {
    @Override
    public String type() {
      return "DoubleMinimum";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new DoubleMin(Math.min(value, AccumulatorValue.same(DoubleMin.class, other).value));
    }
  }

  /** The largest {@code double}; negative infinity of none. */
  record DoubleMax(double value) implements AccumulatorValue {
    @Override
    public String type() {
      return "DoubleMaximum";
    }

    @Override
    public Object result() {
      return value;
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      return new DoubleMax(Math.max(value, AccumulatorValue.same(DoubleMax.class, other).value));
    }
  }

  /**
   * How often each number was added.
   *
   * @param left how many additions are missing in a merged histogram of too many numbers
   */
  record Buckets(Map<Integer, Integer> counts, long left) implements AccumulatorValue {
    public Buckets {
      counts = OrderedCopies.map(counts);
    }

    @Override
    public String type() {
      return "Histogram";
    }

    @Override
    public Object result() {
      return new TreeMap<>(counts);
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      Buckets more = AccumulatorValue.same(Buckets.class, other);
      Map<Integer, Integer> merged = new TreeMap<>(counts);
      long missing = left + more.left;
      for (Map.Entry<Integer, Integer> entry : more.counts.entrySet()) {
        if (merged.size() < MAX_BUCKETS || merged.containsKey(entry.getKey())) {
          merged.merge(entry.getKey(), entry.getValue(), Integer::sum);
        } else {
          missing += entry.getValue();
        }
      }
      return new Buckets(merged, missing);
    }

    @Override
    public int size() {
      return 32 + 12 * counts.size();
    }

    @Override
    public String text() {
      return result() + missing(left);
    }
  }

  /**
   * Texts in the order in which a task added them.
   *
   * @param left how many elements are missing in a merged list that is too long
   */
  record Texts(List<String> values, long left) implements AccumulatorValue {
    public Texts {
      values = OrderedCopies.list(values);
    }

    @Override
    public String type() {
      return "ListAccumulator";
    }

    @Override
    public Object result() {
      return new ArrayList<>(values);
    }

    @Override
    public AccumulatorValue merge(AccumulatorValue other) {
      Texts more = AccumulatorValue.same(Texts.class, other);
      List<String> merged = new ArrayList<>(values);
      int characters = size();
      long missing = left + more.left;
      for (String value : more.values) {
        characters += 1 + value.length();
        if (characters <= MAX_MERGED_CHARACTERS) {
          merged.add(value);
        } else {
          missing++;
        }
      }
      return new Texts(merged, missing);
    }

    @Override
    public int size() {
      int size = 0;
      for (String value : values) {
        size += 1 + value.length();
      }
      return size;
    }

    @Override
    public String text() {
      return "List Accumulator " + values + missing(left);
    }
  }

  private static String missing(long left) {
    return left == 0 ? "" : " and " + left + " more";
  }

  /**
   * Adds the values of a task to those of others. A name that has another type there stays as it
   * is, and names above {@link #MAX_NAMES} are left out.
   */
  static void mergeInto(
      Map<String, AccumulatorValue> merged, Map<String, AccumulatorValue> ofTask) {
    ofTask.forEach(
        (name, value) -> {
          AccumulatorValue known = merged.get(name);
          if (known == null && merged.size() < MAX_NAMES) {
            merged.put(name, value);
          } else if (known != null && known.type().equals(value.type())) {
            merged.put(name, known.merge(value));
          }
        });
  }
}
