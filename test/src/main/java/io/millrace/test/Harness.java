package io.millrace.test;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.process.OutputTag;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.TimestampedValue;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.state.StateKind;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * What all harnesses have: settings, time, output, state and snapshots.
 *
 * <p>A harness runs the tasks of the engine on one thread. Each call returns when everything has
 * happened that follows from it, so that a test sees the same on every run. A function that throws
 * makes the call throw that led to it. Processing time stands still, at 0 in the beginning, and
 * moves with {@link #advance}.
 *
 * <p>The harness starts with the first call that is not a setting. A test closes it.
 *
 * <pre>{@code
 * try (StreamHarness<Order, Long> harness =
 *     StreamHarness.of(
 *         orders ->
 *             orders
 *                 .windowAll(TumblingProcessingTimeWindows.of(Duration.ofMinutes(1)))
 *                 .count())) {
 *   harness.startingAt(60_000).push(new Order("ada", 0, 120));
 *   harness.advance(Duration.ofMinutes(1));
 *   assertEquals(List.of(1L), harness.takeOutput());
 * }
 * }</pre>
 *
 * @param <R> the results of the program
 * @param <H> the harness itself
 */
public abstract sealed class Harness<R, H extends Harness<R, H>> implements AutoCloseable
    permits StreamHarness, TwoInputHarness {
  private static final int MAX_PARALLELISM = 128;

  private final AtomicLong clock = new AtomicLong();
  private final List<ScriptedInput> inputs = new ArrayList<>();
  private final CapturedOutput output = new CapturedOutput();
  private final Map<String, CapturedOutput> sideOutputs = new LinkedHashMap<>();
  private final List<Consumer<StreamEnvironment>> settings = new ArrayList<>();
  private int parallelism = 1;
  private Optional<HarnessSnapshot> from = Optional.empty();
  private Optional<HarnessRun> run = Optional.empty();
  private boolean closed;

  Harness(int inputs) {
    for (int i = 0; i < inputs; i++) {
      this.inputs.add(new ScriptedInput(i));
    }
  }

  abstract H self();

  /** Builds the program. */
  abstract DataStream<R> program(List<DataStream<?>> streams);

  // --- settings

  /**
   * The parallelism of operators that set none. With more than one subtask the order of results of
   * different subtasks is not defined.
   */
  public H parallelism(int subtasks) {
    checkNotStarted();
    parallelism = subtasks;
    return self();
  }

  /**
   * Changes the environment of the program, such as options and serializers: {@code
   * harness.environment(env -> env.configure("state.backend.type", "rocksdb"))}.
   */
  public H environment(Consumer<StreamEnvironment> changes) {
    checkNotStarted();
    settings.add(Objects.requireNonNull(changes, "changes"));
    return self();
  }

  /** Reads side outputs of the operator whose stream the program returns. */
  public H sideOutputs(OutputTag<?>... tags) {
    checkNotStarted();
    for (OutputTag<?> tag : tags) {
      sideOutputs.computeIfAbsent(tag.id(), id -> new CapturedOutput());
    }
    return self();
  }

  /**
   * Starts with the state of a snapshot, which may be of another parallelism. The clock goes on
   * from the time of the snapshot.
   */
  public H restore(HarnessSnapshot snapshot) {
    checkNotStarted();
    from = Optional.of(snapshot);
    clock.set(snapshot.metadata().timestamp());
    return self();
  }

  /** Sets processing time before the start, in milliseconds since the epoch. */
  public H startingAt(long millis) {
    checkNotStarted();
    clock.set(millis);
    return self();
  }

  private void checkNotStarted() {
    if (run.isPresent() || closed) {
      throw new IllegalStateException(
          "The harness has started. Call its settings before the first record.");
    }
  }

  /** The running program, which starts now if it has not. */
  final HarnessRun run() {
    if (closed) {
      throw new IllegalStateException("The harness is closed.");
    }
    if (run.isEmpty()) {
      run = Optional.of(new HarnessRun(graph(), clock, from));
    }
    return run.get();
  }

  private JobGraph graph() {
    List<JobGraph> submitted = new ArrayList<>();
    StreamEnvironment env =
        StreamEnvironment.of(
            new ProgramContext(
                program -> {
                  submitted.add(
                      Graphs.jobGraph(program, JobId.random(ThreadLocalRandom.current())));
                  return null;
                },
                Configuration.EMPTY.with(ExecutionOptions.SERIALIZATION_CHECK_INTERVAL, 1)));
    env.parallelism(parallelism).maxParallelism(MAX_PARALLELISM);
    settings.forEach(change -> change.accept(env));
    List<DataStream<?>> streams = new ArrayList<>();
    inputs.forEach(input -> streams.add(input.stream(env)));
    DataStream<R> results = program(streams);
    sideOutputs.forEach(
        (id, side) ->
            side.capture(results.sideOutput(new OutputTag<>(id)), "side output '" + id + "'"));
    output.capture(results, "output");
    env.executeAsync("harness");
    return submitted.get(0);
  }

  // --- input

  final H push(int input, Object record, Optional<Long> timestamp) {
    Objects.requireNonNull(record, "record");
    return element(input, new ScriptedInput.Value(record, timestamp.orElse(clock.get())));
  }

  final H element(int input, ScriptedInput.Element element) {
    HarnessRun started = run();
    if (inputs.get(input).hasEnded()) {
      throw new IllegalStateException("The input has ended.");
    }
    inputs.get(input).push(element);
    started.settle();
    return self();
  }

  /** No record with this timestamp or an earlier one follows, on any input. */
  public H watermark(long timestamp) {
    for (int i = 0; i < inputs.size(); i++) {
      element(i, new ScriptedInput.Watermark(timestamp));
    }
    return self();
  }

  /**
   * Ends all inputs: event time ends, all windows and timers fire, and functions are closed. After
   * that a test can read the output, but no state.
   */
  public H end() {
    HarnessRun started = run();
    inputs.forEach(ScriptedInput::end);
    started.awaitEnd();
    return self();
  }

  // --- processing time

  /** Moves processing time, and fires the timers that are due then. */
  public H advance(Duration time) {
    HarnessRun started = run();
    if (time.isNegative()) {
      throw new IllegalArgumentException("Time does not go back, by " + time);
    }
    clock.addAndGet(time.toMillis());
    started.timeMoved();
    return self();
  }

  /** The current processing time in milliseconds since the epoch. */
  public long processingTime() {
    return clock.get();
  }

  // --- output

  /** All results so far, in the order of their emission. */
  public List<R> output() {
    return values(timestampedOutput());
  }

  /** The results since the last call of this method. */
  public List<R> takeOutput() {
    run();
    return values(typed(output.take()));
  }

  /** All results so far with their timestamps. */
  public List<TimestampedValue<R>> timestampedOutput() {
    run();
    return typed(output.records());
  }

  /** All records of a side output so far, which {@link #sideOutputs} has named. */
  public <X> List<X> sideOutput(OutputTag<X> tag) {
    run();
    CapturedOutput side = sideOutputs.get(tag.id());
    if (side == null) {
      throw new IllegalStateException(
          "The harness does not read side output '"
              + tag.id()
              + "'. Call sideOutputs(tag) before the first record.");
    }
    return values(typed(side.records()));
  }

  /**
   * Waits until there are so many results, for functions whose results come from other threads,
   * such as asynchronous ones.
   */
  public H awaitOutput(int results) {
    run().await(results + " results", () -> output.records().size() >= results);
    return self();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // The program returns a stream of these.
  private static <X> List<TimestampedValue<X>> typed(List<TimestampedValue<Object>> records) {
    return (List) List.copyOf(records);
  }

  private static <X> List<X> values(List<TimestampedValue<X>> records) {
    return records.stream().map(TimestampedValue::value).toList();
  }

  // --- metrics

  /**
   * The current number of a metric that a function has registered, over all subtasks: the count of
   * a counter or a meter, the number of a gauge, how many numbers a histogram has.
   *
   * @param name with the groups and, if several operators have the metric, the name of the
   *     operator, as REST shows it: {@code Map.orders.refused} or {@code orders.refused}
   */
  public double metric(String name) {
    return run().metric(name);
  }

  // --- state

  /**
   * Takes a snapshot of all operators, as a checkpoint does: functions are told when it is taken
   * and when it is complete. The harness goes on.
   */
  public HarnessSnapshot snapshot() {
    return run().snapshot(true);
  }

  /** The state is read from a snapshot, so that a value that cannot be stored fails the test. */
  private SnapshotReader read() {
    HarnessRun started = run();
    return new SnapshotReader(started.snapshot(false), started.graph(), started.classes());
  }

  /** The value of a key; empty if it has none. */
  public <V> Optional<V> state(ValueStateDescriptor<V> descriptor, Object key) {
    return entry(descriptor.name(), StateKind.VALUE, key);
  }

  /** The elements of a key. */
  public <V> List<V> state(ListStateDescriptor<V> descriptor, Object key) {
    return this.<List<V>>entry(descriptor.name(), StateKind.LIST, key).orElse(List.of());
  }

  /** The entries of a key. */
  public <K, V> Map<K, V> state(MapStateDescriptor<K, V> descriptor, Object key) {
    return this.<Map<K, V>>entry(descriptor.name(), StateKind.MAP, key).orElse(Map.of());
  }

  /** The value of a key; empty if it has none. */
  public <V> Optional<V> state(ReducingStateDescriptor<V> descriptor, Object key) {
    return entry(descriptor.name(), StateKind.REDUCING, key);
  }

  /** The result of a key; empty if it has none. */
  public <T, A, V> Optional<V> state(AggregatingStateDescriptor<T, A, V> descriptor, Object key) {
    return this.<A>entry(descriptor.name(), StateKind.AGGREGATING, key)
        .map(accumulator -> result(descriptor, accumulator));
  }

  private static <A, V> V result(AggregatingStateDescriptor<?, A, V> descriptor, A accumulator) {
    try {
      return descriptor.function().result(accumulator);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new MillraceException(ErrorKind.USER, "The function of the state failed: " + e, e);
    }
  }

  @SuppressWarnings("unchecked") // The descriptor is that of the program.
  private <V> Optional<V> entry(String name, StateKind kind, Object key) {
    return Optional.ofNullable((V) read().keyed(name, kind).get(key));
  }

  /** All keys with a keyed state or a timer: a key whose state is cleared is not among them. */
  public Set<Object> keys() {
    return read().keys();
  }

  /** The elements of an operator state, of all subtasks. */
  @SuppressWarnings("unchecked") // The descriptor is that of the program.
  public <V> List<V> operatorState(ListStateDescriptor<V> descriptor) {
    List<V> all = new ArrayList<>();
    read().lists(descriptor.name()).forEach(list -> all.addAll((List<V>) list));
    return List.copyOf(all);
  }

  /** The entries of a broadcast state; fails if they are not the same in all subtasks. */
  @SuppressWarnings("unchecked") // The descriptor is that of the program.
  public <K, V> Map<K, V> broadcastState(MapStateDescriptor<K, V> descriptor) {
    List<Map<K, V>> maps = new ArrayList<>();
    for (List<Object> flat : read().lists(descriptor.name())) {
      Map<K, V> entries = new LinkedHashMap<>();
      for (int i = 0; i < flat.size(); i += 2) {
        entries.put((K) flat.get(i), (V) flat.get(i + 1));
      }
      maps.add(entries);
    }
    if (maps.stream().distinct().count() > 1) {
      throw new AssertionError(
          "Subtasks have different entries in broadcast state '"
              + descriptor.name()
              + "': "
              + maps);
    }
    return maps.get(0);
  }

  /** The event-time timers of a key, in the order of their times. */
  public List<Long> eventTimeTimers(Object key) {
    return read().timers(StateKind.EVENT_TIMERS, key);
  }

  /** The processing-time timers of a key, in the order of their times. */
  public List<Long> processingTimeTimers(Object key) {
    return read().timers(StateKind.PROCESSING_TIMERS, key);
  }

  /** Ends the tasks without ending their inputs, and deletes all files. */
  @Override
  public void close() {
    closed = true;
    run.ifPresent(HarnessRun::close);
    run = Optional.empty();
    inputs.forEach(ScriptedInput::close);
    output.close();
    sideOutputs.values().forEach(CapturedOutput::close);
  }
}
