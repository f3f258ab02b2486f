package io.millrace.dataplane.operator;

import io.millrace.api.process.RuntimeContext;
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
 * The {@link RuntimeContext} of an operator's function.
 *
 * @param state the keyed state, empty for a function without keys
 */
public record OperatorRuntimeContext(OperatorContext context, Optional<HeapKeyedStateBackend> state)
    implements RuntimeContext {
  @Override
  public String name() {
    return context.operator();
  }

  @Override
  public int parallelism() {
    return context.parallelism();
  }

  @Override
  public int subtask() {
    return context.task().subtask();
  }

  @Override
  public int attempt() {
    return context.task().attempt();
  }

  @Override
  public List<ExternalResourceInfo> externalResourceInfos(String resource) {
    return context.task().slot().external().getOrDefault(resource, List.of());
  }

  /** The task's lease of managed memory, for operators and states of the engine. */
  ManagedMemory.Lease managedMemory() {
    return context.task().managedMemory();
  }

  @Override
  public <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
    return state.isEmpty() ? RuntimeContext.super.state(descriptor) : state.get().value(descriptor);
  }

  @Override
  public <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
    return state.isEmpty()
        ? RuntimeContext.super.listState(descriptor)
        : state.get().list(descriptor);
  }

  @Override
  public <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
    return state.isEmpty()
        ? RuntimeContext.super.mapState(descriptor)
        : state.get().map(descriptor);
  }

  @Override
  public <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor) {
    return state.isEmpty()
        ? RuntimeContext.super.reducingState(descriptor)
        : state.get().reducing(descriptor);
  }

  @Override
  public <T, A, R> AggregatingState<T, R> aggregatingState(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    return state.isEmpty()
        ? RuntimeContext.super.aggregatingState(descriptor)
        : state.get().aggregating(descriptor);
  }
}
