package io.millrace.dataplane;

import io.millrace.api.function.RuntimeContext;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import java.util.List;
import java.util.Optional;

/**
 * A task as one of its operators sees it.
 *
 * @param name of the operator
 * @param store what it keeps by key, if it has keys
 */
record OperatorRuntimeContext(
    Task task, String name, int parallelism, Optional<HeapKeyedStateBackend> store)
    implements RuntimeContext {
  @Override
  public int subtask() {
    return task.subtask();
  }

  @Override
  public int attempt() {
    return task.spec().attempt();
  }

  @Override
  public List<ExternalResourceInfo> externalResourceInfos(String resource) {
    return task.deployment()
        .descriptor()
        .slotOf(task.execution())
        .external()
        .getOrDefault(resource, List.of());
  }

  /** From which the engine's own operators and states take what they use, until the task ends. */
  ManagedMemory.Lease managedMemory() {
    return task.managedMemory();
  }

  @Override
  public <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
    return store.isEmpty() ? RuntimeContext.super.state(descriptor) : store.get().value(descriptor);
  }

  @Override
  public <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
    return store.isEmpty()
        ? RuntimeContext.super.listState(descriptor)
        : store.get().list(descriptor);
  }

  @Override
  public <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
    return store.isEmpty()
        ? RuntimeContext.super.mapState(descriptor)
        : store.get().map(descriptor);
  }

  @Override
  public <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor) {
    return store.isEmpty()
        ? RuntimeContext.super.reducingState(descriptor)
        : store.get().reducing(descriptor);
  }

  @Override
  public <T, A, R> AggregatingState<T, R> aggregatingState(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    return store.isEmpty()
        ? RuntimeContext.super.aggregatingState(descriptor)
        : store.get().aggregating(descriptor);
  }
}
