package io.millrace.dataplane.operator;

import io.millrace.api.accumulator.Accumulator;
import io.millrace.api.metric.MetricGroup;
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
import io.millrace.api.state.StateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The {@link RuntimeContext} of an operator's function.
 *
 * @param state the keyed state, empty for a function without keys
 * @param names the names of states, shared by the functions of the operator
 */
public record OperatorRuntimeContext(
    OperatorContext context, Object function, Optional<KeyedStateBackend> state, StateNames names)
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

  @Override
  public Path cachedFile(String name) {
    Path file = context.task().deployment().descriptor().files().get(name);
    return file == null ? RuntimeContext.super.cachedFile(name) : file;
  }

  @Override
  public <A extends Accumulator> A accumulator(String accumulator, Supplier<A> initial) {
    return context.task().accumulators().get(accumulator, initial);
  }

  @Override
  public MetricGroup metrics() {
    return context.metrics();
  }

  /** The task's lease of managed memory, for operators and states of the engine. */
  ManagedMemory.Lease managedMemory() {
    return context.task().managedMemory();
  }

  private Optional<KeyedStateBackend> keyed(StateDescriptor descriptor) {
    if (state.isPresent()) {
      names.use(descriptor.name(), function, true, name());
    }
    return state;
  }

  private OperatorStateBackend unkeyed(StateDescriptor descriptor) {
    if (descriptor.ttl().expires()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator state '"
              + descriptor.name()
              + "' of operator '"
              + name()
              + "' has a time to live. Only keyed state expires.");
    }
    names.use(descriptor.name(), function, false, name());
    return context.operatorState();
  }

  @Override
  public <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
    return keyed(descriptor).isEmpty()
        ? RuntimeContext.super.state(descriptor)
        : state.get().value(descriptor);
  }

  @Override
  public <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
    return keyed(descriptor).isEmpty()
        ? RuntimeContext.super.listState(descriptor)
        : state.get().list(descriptor);
  }

  @Override
  public <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
    return keyed(descriptor).isEmpty()
        ? RuntimeContext.super.mapState(descriptor)
        : state.get().map(descriptor);
  }

  @Override
  public <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor) {
    return keyed(descriptor).isEmpty()
        ? RuntimeContext.super.reducingState(descriptor)
        : state.get().reducing(descriptor);
  }

  @Override
  public <T, A, R> AggregatingState<T, R> aggregatingState(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    return keyed(descriptor).isEmpty()
        ? RuntimeContext.super.aggregatingState(descriptor)
        : state.get().aggregating(descriptor);
  }

  @Override
  public <T> ListState<T> operatorListState(ListStateDescriptor<T> descriptor) {
    return new OperatorStates.OperatorListState<>(
        unkeyed(descriptor).list(descriptor.name(), Redistribution.SPLIT));
  }

  @Override
  public <T> ListState<T> unionListState(ListStateDescriptor<T> descriptor) {
    return new OperatorStates.OperatorListState<>(
        unkeyed(descriptor).list(descriptor.name(), Redistribution.UNION));
  }

  @Override
  public <K, V> MapState<K, V> broadcastState(MapStateDescriptor<K, V> descriptor) {
    return new OperatorStates.BroadcastMapState<>(unkeyed(descriptor).map(descriptor.name()));
  }
}
