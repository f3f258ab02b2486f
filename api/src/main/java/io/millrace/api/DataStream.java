package io.millrace.api;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.custom.CustomOperator;
import io.millrace.api.custom.OneInputOperator;
import io.millrace.api.execution.JobClient;
import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LookupFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.Partitioner;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.program.Chaining;
import io.millrace.api.program.Routing;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.sink.PrintSink;
import io.millrace.api.sink.Sink;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A stream of records. A method that transforms returns a new stream. A method that sets something
 * ({@link #name}, {@link #parallelism} and so on) sets it for the operator that produces this
 * stream and returns the same stream.
 *
 * <p>A record must not be changed after it was emitted, because tasks of one process exchange
 * records by reference.
 *
 * <pre>{@code
 * orders
 *     .filter(order -> order.cents() > 0)
 *     .map(order -> order.customer() + " pays " + order.cents())
 *     .print();
 * }</pre>
 *
 * @param <T> the type of the records
 */
public sealed class DataStream<T> permits KeyedStream, CachedStream {
  private final PendingTransformation node;

  DataStream(PendingTransformation node) {
    this.node = node;
  }

  // --- operators

  /** Replaces each record by the result of the function. */
  public <R> DataStream<R> map(MapFunction<? super T, ? extends R> function) {
    OperatorSpec spec = withKey(new OperatorSpec.Map(TypeErasure.map(function)), function);
    return then("map", finalOnly -> spec);
  }

  /** Replaces each record by the records that the function emits. */
  public <R> DataStream<R> flatMap(FlatMapFunction<? super T, R> function) {
    OperatorSpec spec = withKey(new OperatorSpec.FlatMap(TypeErasure.flatMap(function)), function);
    return then("flatMap", finalOnly -> spec);
  }

  /**
   * The same with the class of the results, for a lambda {@code (record, out) -> …} in the middle
   * of a chain of calls: the compiler cannot infer their type from it.
   */
  public <R> DataStream<R> flatMap(Class<R> results, FlatMapFunction<? super T, R> function) {
    Objects.requireNonNull(results, "results");
    return flatMap(function);
  }

  /** Replaces each record by the records that the function returns. */
  public <R> DataStream<R> flatMap(FlatMapIterableFunction<? super T, R> function) {
    return flatMap(new FunctionAdapters.FlatMapIterable<>(function));
  }

  /** Keeps the records for which the function returns true. */
  public DataStream<T> filter(FilterFunction<? super T> function) {
    OperatorSpec spec = withKey(new OperatorSpec.Filter(TypeErasure.filter(function)), function);
    return then("filter", finalOnly -> spec);
  }

  /** Emits any number of records for each record, to the main output and to side outputs. */
  public <R> DataStream<R> process(ProcessFunction<? super T, R> function) {
    OperatorSpec spec =
        withKey(new OperatorSpec.Processing(TypeErasure.process(function)), function);
    return then("process", finalOnly -> spec);
  }

  /** The same with the class of the results, for a lambda in the middle of a chain of calls. */
  public <R> DataStream<R> process(Class<R> results, ProcessFunction<? super T, R> function) {
    Objects.requireNonNull(results, "results");
    return process(function);
  }

  /** Adds an operator of the program. Behind {@code keyBy} it has keyed state and timers. */
  public <R> DataStream<R> transform(String name, OneInputOperator<? super T, R> operator) {
    OperatorSpec spec = customOperator(TypeErasure.custom(operator));
    return then(ArgumentChecks.text("name", name), finalOnly -> spec);
  }

  OperatorSpec customOperator(CustomOperator<Object> operator) {
    return new OperatorSpec.Custom(operator);
  }

  /** Assigns timestamps and watermarks, for windows and timers that follow. */
  public DataStream<T> assignTimestampsAndWatermarks(WatermarkStrategy<? super T> strategy) {
    WatermarkStrategy<Object> erased = TypeErasure.watermarks(strategy);
    return then("timestamps", finalOnly -> new OperatorSpec.Timestamps(erased, finalOnly));
  }

  /** The side output of the operator that produces this stream. */
  public <X> DataStream<X> sideOutput(OutputTag<X> tag) {
    node.requireOperator("side output");
    return new DataStream<>(
        node.environment()
            .add("sideOutput", new PendingTransformation.Kind.SideOutput(tag.id()), List.of(node)));
  }

  // --- the way to the next operator

  /** Sends records with the same key to the same subtask of the next operator. */
  public <K> KeyedStream<T, K> keyBy(KeySelector<? super T, K> key) {
    return new KeyedStream<>(directed("keyBy", new Routing.Keyed(TypeErasure.key(key))), key);
  }

  /** Divides all records into windows, in one subtask. */
  public AllWindowedStream<T> windowAll(WindowAssigner assigner) {
    return new AllWindowedStream<>(inOneSubtask().window(assigner));
  }

  /** Windows of so many records. Those of an incomplete window give no result. */
  public AllWindowedStream<T> countWindowAll(int size) {
    return new AllWindowedStream<>(inOneSubtask().countWindow(size));
  }

  /** The last records, at most {@code size}, after every {@code slide} records. */
  public AllWindowedStream<T> countWindowAll(int size, int slide) {
    return new AllWindowedStream<>(inOneSubtask().countWindow(size, slide));
  }

  private KeyedStream<T, Integer> inOneSubtask() {
    return keyBy(record -> 0);
  }

  /** The union of this stream and others, without a guaranteed order. */
  @SafeVarargs
  public final DataStream<T> union(DataStream<? extends T>... others) {
    List<PendingTransformation> inputs = new ArrayList<>();
    inputs.add(node);
    for (DataStream<? extends T> other : others) {
      node.requireSameEnvironment(other.node(), "union");
      inputs.add(other.node());
    }
    return new DataStream<>(
        node.environment().add("union", new PendingTransformation.Kind.Union(), inputs));
  }

  /** Connects two streams, whose types may differ, for an operator with two inputs. */
  public <B> ConnectedStreams<T, B> connect(DataStream<B> other) {
    return new ConnectedStreams<>(this, other);
  }

  /** Connects this stream to a broadcast stream and its state. */
  public <B> BroadcastConnectedStream<T, B> connect(BroadcastStream<B> broadcast) {
    return new BroadcastConnectedStream<>(this, broadcast);
  }

  /** Joins the records of two streams with the same key and window. */
  public <B> JoinedStreams<T, B> join(DataStream<B> other) {
    return new JoinedStreams<>(this, other);
  }

  /** Groups the records of two streams by key and window. */
  public <B> CoGroupedStreams<T, B> coGroup(DataStream<B> other) {
    return new CoGroupedStreams<>(this, other);
  }

  /**
   * Joins each record with the values that another system has for its key. The function waits for
   * them in the thread of the task, one key after the other; with {@link #lookupJoinAsync} several
   * requests are under way.
   */
  public <K, V> LookupJoin<T, K, V> lookupJoin(
      KeySelector<? super T, K> key, LookupFunction<? super K, V> lookup) {
    return new LookupJoin<>(this, key, new LookupJoinFunction.Synchronous<>(lookup));
  }

  /** Joins each record with the values that another system has for its key. */
  public <K, V> LookupJoin<T, K, V> lookupJoinAsync(
      KeySelector<? super T, K> key, AsyncFunction<? super K, V> lookup) {
    return new LookupJoin<>(this, key, lookup);
  }

  /** Sends records to all subtasks of the next operator, round-robin. */
  public DataStream<T> rebalance() {
    return new DataStream<>(directed("rebalance", new Routing.Rebalance()));
  }

  /** Sends each record to a subtask of the next operator that is chosen at random. */
  public DataStream<T> shuffle() {
    return new DataStream<>(directed("shuffle", new Routing.Shuffle()));
  }

  /** Sends all records to the first subtask of the next operator. */
  public DataStream<T> global() {
    return new DataStream<>(
        directed("global", new Routing.Custom(record -> 0, (key, partitions) -> 0)));
  }

  /** Sends records to a fixed range of subtasks of the next operator, round-robin. */
  public DataStream<T> rescale() {
    return new DataStream<>(directed("rescale", new Routing.Rescale()));
  }

  /** Sends each record to all subtasks of the next operator. */
  public DataStream<T> broadcast() {
    return new DataStream<>(directed("broadcast", new Routing.Broadcast()));
  }

  /**
   * Sends each record to all subtasks of the next operator, which keeps them in broadcast states.
   *
   * @param states the broadcast states that functions of the connected streams may use
   */
  public BroadcastStream<T> broadcast(MapStateDescriptor<?, ?>... states) {
    return new BroadcastStream<>(directed("broadcast", new Routing.Broadcast()), states);
  }

  /** Sends records to the subtask with the same index; both sides have the same parallelism. */
  public DataStream<T> forward() {
    return new DataStream<>(directed("forward", new Routing.Forward()));
  }

  /** Sends each record to the subtask that the partitioner chooses for its key. */
  public <K> DataStream<T> partitionCustom(
      Partitioner<? super K> partitioner, KeySelector<? super T, ? extends K> key) {
    return new DataStream<>(
        directed(
            "partitionCustom",
            new Routing.Custom(TypeErasure.key(key), TypeErasure.partitioner(partitioner))));
  }

  /**
   * Caches the records of this stream in the cluster for later jobs. Its sources must be bounded.
   */
  public CachedStream<T> cache() {
    DataSetId dataSet = DataSetId.random(new SecureRandom());
    OperatorSpec spec = new OperatorSpec.Cache(dataSet.toString());
    return new CachedStream<>(
        node.environment()
            .add(
                "cache", new PendingTransformation.Kind.Operator(finalOnly -> spec), List.of(node)),
        dataSet);
  }

  // --- sinks

  /** Writes the records with a sink. */
  public DataSink sinkTo(Sink<? super T> sink) {
    Class<?> type = Objects.requireNonNull(sink, "sink").getClass();
    // The class name of a lambda is meaningless and changes between runs.
    boolean nameless = type.isHidden() || type.isAnonymousClass() || type.isSynthetic();
    return sink(nameless ? "sink" : type.getSimpleName(), sink);
  }

  /** Prints each record as a line on the standard output of the process that runs the task. */
  public DataSink print() {
    return sink("print", new PrintSink<>());
  }

  /**
   * Sends the records to the client, which reads them from {@link JobClient#collected} under this
   * name.
   */
  public DataSink collectAs(String name) {
    OperatorSpec spec = new OperatorSpec.Collect(ArgumentChecks.text("name", name));
    return new DataSink(
        node.environment()
            .add(
                "collect",
                new PendingTransformation.Kind.Operator(finalOnly -> spec),
                List.of(node)));
  }

  /**
   * Executes the job and reads this stream's records while it runs. The whole program collected so
   * far is executed.
   */
  public CollectedRecords<T> collect() {
    return collect("collect");
  }

  /** As {@link #collect()}, with a name for the job. */
  public CollectedRecords<T> collect(String jobName) {
    StreamEnvironment environment = node.environment();
    if (!environment.configuration().get(DeploymentOptions.ATTACHED)) {
      throw new MillraceException(
          ErrorKind.USER,
          "Records cannot be collected by a program that was started detached. Start it attached"
              + " (without -d), or write the records with a sink.");
    }
    CollectedRecords<T> records = collectAsync();
    environment.executeAsync(jobName);
    return records;
  }

  /**
   * Collects this stream's records in the job that is executed next, with {@code executeAsync}; the
   * records can be read as soon as that has returned. Several streams of one job can be collected.
   * A job whose records nobody reads waits, so {@code execute} must not be used.
   */
  public CollectedRecords<T> collectAsync() {
    StreamEnvironment environment = node.environment();
    String name = "collect-" + environment.nextNumber();
    collectAs(name);
    CollectedRecords<T> records = new CollectedRecords<>(name);
    environment.await(records);
    return records;
  }

  /** As {@link #collect()}. */
  public CollectedRecords<T> executeAndCollect() {
    return collect();
  }

  /** As {@link #collect(String)}. */
  public CollectedRecords<T> executeAndCollect(String jobName) {
    return collect(jobName);
  }

  /** Executes the job, reads at most so many records, and cancels the job if it still runs. */
  public List<T> executeAndCollect(int limit) {
    if (limit < 1) {
      throw new MillraceException(
          ErrorKind.USER, "The number of records to collect is 1 or more, not " + limit + ".");
    }
    List<T> records = new ArrayList<>();
    try (CollectedRecords<T> collected = collect()) {
      while (records.size() < limit && collected.hasNext()) {
        records.add(collected.next());
      }
    }
    return records;
  }

  // --- settings of the operator that produces this stream

  /** Names the operator in plans, logs and metrics. */
  public DataStream<T> name(String name) {
    node.rename(name);
    return this;
  }

  /** Describes the operator in plans, at greater length than its name. */
  public DataStream<T> description(String description) {
    ArgumentChecks.text("description", description);
    node.change("description", settings -> settings.withDescription(description));
    return this;
  }

  /** Identifies the operator across versions of the program, for its state. */
  public DataStream<T> uid(String uid) {
    ArgumentChecks.text("uid", uid);
    node.change("uid", settings -> settings.withUid(uid));
    return this;
  }

  /** The number of subtasks of the operator. */
  public DataStream<T> parallelism(int parallelism) {
    ArgumentChecks.parallelism("an operator", parallelism);
    node.change("parallelism", settings -> settings.withParallelism(parallelism));
    return this;
  }

  /** The number of key groups of the operator: the limit of later rescaling. */
  public DataStream<T> maxParallelism(int maxParallelism) {
    ArgumentChecks.parallelism("an operator", maxParallelism);
    node.change("max parallelism", settings -> settings.withMaxParallelism(maxParallelism));
    return this;
  }

  /** Runs the operator in its own task. */
  public DataStream<T> disableChaining() {
    node.change("chaining", settings -> settings.withChaining(Chaining.NEVER));
    return this;
  }

  /** Starts a new chain with the operator. */
  public DataStream<T> startNewChain() {
    node.change("chaining", settings -> settings.withChaining(Chaining.HEAD));
    return this;
  }

  /** Sets the slot sharing group: only subtasks of the same group share slots. */
  public DataStream<T> slotSharingGroup(String group) {
    return slotSharingGroup(SlotSharingGroup.named(group));
  }

  /**
   * Sets the slot sharing group and the resources of its slots. It is enough to declare them at one
   * operator of the group.
   */
  public DataStream<T> slotSharingGroup(SlotSharingGroup group) {
    node.change("slot sharing group", settings -> settings.withSlotSharingGroup(group));
    return this;
  }

  /** Adds the key of a keyed stream to an operator whose function may have keyed state. */
  OperatorSpec withKey(OperatorSpec operator, Object function) {
    return operator;
  }

  /**
   * @param <V> what requests are answered with; {@code R} if the function does not join it with its
   *     record
   */
  final <V, R> DataStream<R> async(
      AsyncFunction<? super T, V> function,
      boolean ordered,
      Duration timeout,
      int capacity,
      AsyncRetryStrategy<? super V> retry) {
    if (timeout.toMillis() < 1 || capacity < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "The time-out of an asynchronous request is 1 ms or more and the capacity 1 or more, not "
              + timeout
              + " and "
              + capacity
              + ".");
    }
    OperatorSpec spec =
        new OperatorSpec.Async(
            TypeErasure.async(function), ordered, timeout, capacity, TypeErasure.retry(retry));
    return then(ordered ? "async ordered" : "async unordered", finalOnly -> spec);
  }

  final PendingTransformation node() {
    return node;
  }

  final <R> DataStream<R> then(String name, Function<Boolean, OperatorSpec> spec) {
    return new DataStream<>(
        node.environment().add(name, new PendingTransformation.Kind.Operator(spec), List.of(node)));
  }

  private PendingTransformation directed(String name, Routing routing) {
    return node.environment()
        .add(name, new PendingTransformation.Kind.Route(routing), List.of(node));
  }

  private DataSink sink(String name, Sink<?> sink) {
    OperatorSpec spec = new OperatorSpec.Sink(TypeErasure.sink(sink));
    return new DataSink(
        node.environment()
            .add(name, new PendingTransformation.Kind.Operator(finalOnly -> spec), List.of(node)));
  }
}
