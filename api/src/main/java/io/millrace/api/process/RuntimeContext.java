package io.millrace.api.process;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;

/** The task of a function. */
public interface RuntimeContext {
  /** The name of the operator. */
  String name();

  /** The index of the subtask, from 0. */
  int subtask();

  int parallelism();

  /** The number of the attempt, which grows with each restart. */
  int attempt();

  /**
   * The external resources of the task's slot, which it shares only with other operators in the
   * same slot. Empty if it has none.
   *
   * @param resource the name under which the TaskManager's configuration has it, such as gpu
   */
  List<ExternalResourceInfo> externalResourceInfos(String resource);

  // --- keyed state, for functions of a keyed stream's process

  /** The value state with this name; the handle accesses the state of the current key. */
  default <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
    throw unkeyed(descriptor);
  }

  default <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
    throw unkeyed(descriptor);
  }

  default <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
    throw unkeyed(descriptor);
  }

  default <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor) {
    throw unkeyed(descriptor);
  }

  default <T, A, R> AggregatingState<T, R> aggregatingState(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    throw unkeyed(descriptor);
  }

  private MillraceException unkeyed(StateDescriptor descriptor) {
    return new MillraceException(
        ErrorKind.USER,
        "State '"
            + descriptor.name()
            + "' belongs to a key, and the function of operator '"
            + name()
            + "' has none. Use a KeyedProcessFunction behind keyBy.");
  }
}
