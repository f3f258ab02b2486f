package io.millrace.api;

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
import io.millrace.api.function.Partitioner;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.process.BroadcastProcessFunction;
import io.millrace.api.process.CoProcessFunction;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.sink.Sink;
import io.millrace.api.source.Source;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.Evictor;
import io.millrace.api.window.Trigger;
import java.util.Iterator;
import java.util.Objects;

/**
 * Casts functions to functions of {@code Object}, which the engine runs. The compiler has checked
 * on the typed streams that each function gets records of its type.
 */
@SuppressWarnings("unchecked")
final class TypeErasure {
  private TypeErasure() {}

  static Source<Object, ?> source(Source<?, ?> typed) {
    return (Source<Object, ?>) Objects.requireNonNull(typed, "source");
  }

  static Sink<Object> sink(Sink<?> typed) {
    return (Sink<Object>) Objects.requireNonNull(typed, "sink");
  }

  static MapFunction<Object, Object> map(MapFunction<?, ?> typed) {
    return (MapFunction<Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static FlatMapFunction<Object, Object> flatMap(FlatMapFunction<?, ?> typed) {
    return (FlatMapFunction<Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static FilterFunction<Object> filter(FilterFunction<?> typed) {
    return (FilterFunction<Object>) Objects.requireNonNull(typed, "function");
  }

  static KeySelector<Object, Object> key(KeySelector<?, ?> typed) {
    return (KeySelector<Object, Object>) Objects.requireNonNull(typed, "key selector");
  }

  static ProcessFunction<Object, Object> process(ProcessFunction<?, ?> typed) {
    return (ProcessFunction<Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static KeyedProcessFunction<Object, Object, Object> process(KeyedProcessFunction<?, ?, ?> typed) {
    return (KeyedProcessFunction<Object, Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static ProcessWindowFunction<Object, Object, Object> process(
      ProcessWindowFunction<?, ?, ?> typed) {
    return (ProcessWindowFunction<Object, Object, Object>)
        Objects.requireNonNull(typed, "function");
  }

  static CoMapFunction<Object, Object, Object> coMap(CoMapFunction<?, ?, ?> typed) {
    return (CoMapFunction<Object, Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static CoFlatMapFunction<Object, Object, Object> coFlatMap(CoFlatMapFunction<?, ?, ?> typed) {
    return (CoFlatMapFunction<Object, Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static CoProcessFunction<Object, Object, Object> coProcess(CoProcessFunction<?, ?, ?> typed) {
    return (CoProcessFunction<Object, Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static KeyedCoProcessFunction<Object, Object, Object, Object> coProcess(
      KeyedCoProcessFunction<?, ?, ?, ?> typed) {
    return (KeyedCoProcessFunction<Object, Object, Object, Object>)
        Objects.requireNonNull(typed, "function");
  }

  static BroadcastProcessFunction<Object, Object, Object> broadcastProcess(
      BroadcastProcessFunction<?, ?, ?> typed) {
    return (BroadcastProcessFunction<Object, Object, Object>)
        Objects.requireNonNull(typed, "function");
  }

  static KeyedBroadcastProcessFunction<Object, Object, Object, Object> broadcastProcess(
      KeyedBroadcastProcessFunction<?, ?, ?, ?> typed) {
    return (KeyedBroadcastProcessFunction<Object, Object, Object, Object>)
        Objects.requireNonNull(typed, "function");
  }

  static AsyncFunction<Object, Object> async(AsyncFunction<?, ?> typed) {
    return (AsyncFunction<Object, Object>) Objects.requireNonNull(typed, "function");
  }

  static AsyncRetryStrategy<Object> retry(AsyncRetryStrategy<?> typed) {
    return (AsyncRetryStrategy<Object>) Objects.requireNonNull(typed, "retry");
  }

  static CustomOperator<Object> custom(CustomOperator<?> typed) {
    return (CustomOperator<Object>) Objects.requireNonNull(typed, "operator");
  }

  static Trigger<Object> trigger(Trigger<?> typed) {
    return (Trigger<Object>) Objects.requireNonNull(typed, "trigger");
  }

  static Evictor<Object> evictor(Evictor<?> typed) {
    return (Evictor<Object>) Objects.requireNonNull(typed, "evictor");
  }

  static WatermarkStrategy<Object> watermarks(WatermarkStrategy<?> typed) {
    return (WatermarkStrategy<Object>) Objects.requireNonNull(typed, "strategy");
  }

  static Partitioner<Object> partitioner(Partitioner<?> typed) {
    return (Partitioner<Object>) Objects.requireNonNull(typed, "partitioner");
  }

  static ReduceFunction<Object> reduce(ReduceFunction<?> typed) {
    return (ReduceFunction<Object>) Objects.requireNonNull(typed, "function");
  }

  static AggregateFunction<Object, Object, Object> aggregate(AggregateFunction<?, ?, ?> typed) {
    return (AggregateFunction<Object, Object, Object>) Objects.requireNonNull(typed, "function");
  }

  /** Casts the records of a stream of {@code T} back. */
  static <T> Iterator<T> typed(Iterator<Object> records) {
    return (Iterator<T>) records;
  }
}
