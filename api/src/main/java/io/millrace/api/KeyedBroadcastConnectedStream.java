package io.millrace.api;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedBroadcastProcessFunction;

/**
 * A keyed stream connected to a broadcast stream.
 *
 * @param <T> records of the keyed stream
 * @param <B> records of the broadcast stream
 * @param <K> keys
 */
public final class KeyedBroadcastConnectedStream<T, B, K> extends BroadcastConnectedStream<T, B> {
  private final KeyedStream<T, K> stream;

  KeyedBroadcastConnectedStream(KeyedStream<T, K> stream, BroadcastStream<B> broadcast) {
    super(stream, broadcast);
    this.stream = stream;
  }

  /** Processes the records of both streams, with state and timers of the keys. */
  public <R> DataStream<R> process(
      KeyedBroadcastProcessFunction<? super K, ? super T, ? super B, R> function) {
    return then(
        new OperatorSpec.KeyedBroadcastProcessing(
            TypeErasure.key(stream.key()), TypeErasure.broadcastProcess(function), states()));
  }
}
