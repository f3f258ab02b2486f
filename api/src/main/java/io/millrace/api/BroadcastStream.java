package io.millrace.api;

import io.millrace.api.state.MapStateDescriptor;
import java.util.List;

/**
 * A stream whose records go to all subtasks of the next operator, and the broadcast states that
 * they fill. {@link DataStream#connect(BroadcastStream)} connects it to another stream.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 * BroadcastStream<Payment> everywhere = payments.broadcast(limits);
 * }</pre>
 *
 * @param <B> the type of the records
 */
@SuppressWarnings("UnusedTypeParameter") // It types the functions.
public final class BroadcastStream<B> {
  private final PendingTransformation node;
  private final List<String> states;

  BroadcastStream(PendingTransformation node, MapStateDescriptor<?, ?>... descriptors) {
    this.node = node;
    this.states = BroadcastStateChecks.names(descriptors);
  }

  PendingTransformation node() {
    return node;
  }

  /** The names of the broadcast states. */
  List<String> states() {
    return states;
  }
}
