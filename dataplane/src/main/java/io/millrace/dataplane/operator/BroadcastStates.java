package io.millrace.dataplane.operator;

import io.millrace.api.state.BroadcastState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The broadcast states of an operator, which the program has declared. */
final class BroadcastStates {
  private final String operator;
  private final Map<String, BroadcastState<?, ?>> states = new LinkedHashMap<>();

  BroadcastStates(OperatorContext context, List<String> names) {
    this.operator = context.operator();
    for (String name : names) {
      states.put(name, new OperatorStates.BroadcastMapState<>(context.operatorState().map(name)));
    }
  }

  @SuppressWarnings("unchecked") // A program uses one descriptor for a name.
  <K, V> BroadcastState<K, V> of(MapStateDescriptor<K, V> descriptor) {
    BroadcastState<?, ?> state = states.get(descriptor.name());
    if (state == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator '"
              + operator
              + "' has no broadcast state '"
              + descriptor.name()
              + "'; it has "
              + states.keySet()
              + ". Give its descriptor to broadcast(…).");
    }
    return (BroadcastState<K, V>) state;
  }
}
