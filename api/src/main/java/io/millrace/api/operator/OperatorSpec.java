package io.millrace.api.operator;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.custom.CustomOperator;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.CoMapFunction;
import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.process.BroadcastProcessFunction;
import io.millrace.api.process.CoProcessFunction;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.core.OrderedCopies;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An operator with its user functions. The client serialises it, and only TaskManagers deserialise
 * it, in the job's class loader; the control plane handles it as opaque bytes.
 *
 * <p>Records have the type {@code Object} here: only the program's source has their types.
 */
public sealed interface OperatorSpec extends Serializable {

  record Source(io.millrace.api.source.Source<Object, ?> source) implements OperatorSpec {}

  /**
   * Finds the splits of a source, beside the operator that reads them. It emits {@link
   * SplitAssignment}s.
   */
  record Enumerate(EnumeratedSource<Object, ?, ?> source) implements OperatorSpec {}

  record Map(MapFunction<Object, Object> function) implements OperatorSpec {}

  record FlatMap(FlatMapFunction<Object, Object> function) implements OperatorSpec {}

  record Filter(FilterFunction<Object> function) implements OperatorSpec {}

  /**
   * Keyed reduce.
   *
   * @param finalOnly emit each key once at the end of input instead of on every record
   */
  record Reduce(KeySelector<Object, Object> key, ReduceFunction<Object> function, boolean finalOnly)
      implements OperatorSpec {}

  /** Keyed aggregation; {@code finalOnly} as for {@link Reduce}. */
  record Aggregate(
      KeySelector<Object, Object> key,
      AggregateFunction<Object, Object, Object> function,
      boolean finalOnly)
      implements OperatorSpec {

    /** The function as a {@link LongFold}, if it is one. */
    @SuppressWarnings("unchecked") // Of the same records and keys as the function itself.
    public Optional<LongFold<Object, Object, Object>> ofNumber() {
      return function instanceof LongFold<?, ?, ?> fold
          ? Optional.of((LongFold<Object, Object, Object>) fold)
          : Optional.empty();
    }
  }

  /**
   * Assigns timestamps and watermarks.
   *
   * @param finalOnly emit no watermark before the end of input, so that no record is late
   */
  record Timestamps(WatermarkStrategy<Object> strategy, boolean finalOnly)
      implements OperatorSpec {}

  record Processing(ProcessFunction<Object, Object> function) implements OperatorSpec {}

  record KeyedProcessing(
      KeySelector<Object, Object> key, KeyedProcessFunction<Object, Object, Object> function)
      implements OperatorSpec {}

  /**
   * A map, flat map, filter or process whose function may have keyed state. The key of a record is
   * the current key while the function is called for it.
   */
  record Keyed(KeySelector<Object, Object> key, OperatorSpec operator) implements OperatorSpec {
    public Keyed {
      Objects.requireNonNull(key);
      if (!(operator instanceof Map
          || operator instanceof FlatMap
          || operator instanceof Filter
          || operator instanceof Processing)) {
        throw new IllegalArgumentException(
            "An operator with a key selector of its own, or without a function: " + operator);
      }
    }
  }

  record Window(KeySelector<Object, Object> key, WindowSpec window) implements OperatorSpec {}

  /**
   * Asynchronous requests.
   *
   * @param ordered whether results have the order of their records
   * @param capacity the number of records that wait at a time
   */
  record Async(
      AsyncFunction<Object, Object> function,
      boolean ordered,
      Duration timeout,
      int capacity,
      AsyncRetryStrategy<Object> retry)
      implements OperatorSpec {}

  /** An operator of the program, with one or two inputs. */
  record Custom(CustomOperator<Object> operator) implements OperatorSpec {}

  /**
   * The same behind keyBy.
   *
   * @param keys one for each input
   */
  record KeyedCustom(List<KeySelector<Object, Object>> keys, CustomOperator<Object> operator)
      implements OperatorSpec {
    public KeyedCustom {
      keys = OrderedCopies.list(keys);
      Objects.requireNonNull(operator);
    }
  }

  // --- operators with two inputs; the inputs of the transformation are the first and the second

  record CoMap(CoMapFunction<Object, Object, Object> function) implements OperatorSpec {}

  record CoFlatMap(CoFlatMapFunction<Object, Object, Object> function) implements OperatorSpec {}

  record CoProcessing(CoProcessFunction<Object, Object, Object> function) implements OperatorSpec {}

  record KeyedCoProcessing(
      KeySelector<Object, Object> first,
      KeySelector<Object, Object> second,
      KeyedCoProcessFunction<Object, Object, Object, Object> function)
      implements OperatorSpec {}

  /** As {@link Keyed}, for an operator with two inputs. */
  record KeyedCo(
      KeySelector<Object, Object> first, KeySelector<Object, Object> second, OperatorSpec operator)
      implements OperatorSpec {
    public KeyedCo {
      Objects.requireNonNull(first);
      Objects.requireNonNull(second);
      if (!(operator instanceof CoMap
          || operator instanceof CoFlatMap
          || operator instanceof CoProcessing)) {
        throw new IllegalArgumentException(
            "An operator with key selectors of its own, or with one input: " + operator);
      }
    }
  }

  /**
   * The second input is a broadcast stream.
   *
   * @param states the names of the broadcast states
   */
  record BroadcastProcessing(
      BroadcastProcessFunction<Object, Object, Object> function, List<String> states)
      implements OperatorSpec {
    public BroadcastProcessing {
      states = OrderedCopies.list(states);
    }
  }

  /** As {@link BroadcastProcessing}; the first input is keyed. */
  record KeyedBroadcastProcessing(
      KeySelector<Object, Object> key,
      KeyedBroadcastProcessFunction<Object, Object, Object, Object> function,
      List<String> states)
      implements OperatorSpec {
    public KeyedBroadcastProcessing {
      states = OrderedCopies.list(states);
    }
  }

  /** Commits the output of all subtasks of a sink, whose committables it gets as records. */
  record GlobalCommit(GlobalCommittingSink<Object, ?> sink) implements OperatorSpec {}

  record Sink(io.millrace.api.sink.Sink<Object> sink) implements OperatorSpec {}

  /** Sends its records to the client under a name. */
  record Collect(String name) implements OperatorSpec {}

  /** Passes records on and stores them as a cached data set. */
  record Cache(String dataSet) implements OperatorSpec {}

  /**
   * Reads a cached data set of an earlier job.
   *
   * @param producer id of that job
   * @param term of the leader under which that job finished
   * @param places data addresses of the TaskManagers that store the partitions, by index
   */
  record ReadCached(String dataSet, String producer, long term, List<String> places)
      implements OperatorSpec {
    public ReadCached {
      places = OrderedCopies.list(places);
    }
  }
}
