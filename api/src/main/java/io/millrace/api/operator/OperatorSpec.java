package io.millrace.api.operator;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.KeyedProcessFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.ProcessFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.core.OrderedCopies;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;

/**
 * An operator and the user functions in it. It is serialised by the client and opened only in
 * TaskManagers, inside the job's class loader; the control plane carries it as opaque bytes.
 *
 * <p>Records are untyped here ({@code Object}): types exist in the program's source and are gone
 * after that.
 */
public sealed interface OperatorSpec extends Serializable {

  record Source(io.millrace.api.source.Source<Object> source) implements OperatorSpec {}

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

    /** The same aggregation where only a number is kept, if it is one of those. */
    @SuppressWarnings("unchecked") // Of the same records and keys as the function itself.
    public Optional<LongFold<Object, Object, Object>> ofNumber() {
      return function instanceof LongFold<?, ?, ?> fold
          ? Optional.of((LongFold<Object, Object, Object>) fold)
          : Optional.empty();
    }
  }

  /**
   * Says when records happened and how far event time is.
   *
   * @param finalOnly leave event time where it is until the end of input, so that nothing is late
   */
  record Timestamps(WatermarkStrategy<Object> strategy, boolean finalOnly)
      implements OperatorSpec {}

  record Processing(ProcessFunction<Object, Object> function) implements OperatorSpec {}

  record KeyedProcessing(
      KeySelector<Object, Object> key, KeyedProcessFunction<Object, Object, Object> function)
      implements OperatorSpec {}

  record Window(KeySelector<Object, Object> key, WindowSpec window) implements OperatorSpec {}

  record Sink(io.millrace.api.sink.Sink<Object> sink) implements OperatorSpec {}

  /** Hands its records to the client that runs the job, under this name. */
  record Collect(String name) implements OperatorSpec {}

  /** Hands records on and keeps them under the id of a data set. */
  record Cache(String dataSet) implements OperatorSpec {}

  /**
   * Reads what an earlier job kept.
   *
   * @param producer id of that job
   * @param term of the leader under which that job finished
   * @param places data addresses of the TaskManagers that have the partitions, in their order
   */
  record ReadCached(String dataSet, String producer, long term, List<String> places)
      implements OperatorSpec {
    public ReadCached {
      places = OrderedCopies.list(places);
    }
  }
}
