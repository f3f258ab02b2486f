package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.dataplane.operator.KeyedStateOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.UnclaimedStateException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operator state of functions, and which states a function can ask for. {@link CheckpointTest}
 * kills jobs with keyed state in each kind of function.
 */
class FunctionStateTest {
  @TempDir Path directory;

  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));
  private final Calls calls = new Calls(new CopyOnWriteArrayList<>());
  private final String callsName = Fixtures.share(calls);

  @AfterEach
  void close() {
    host.close();
  }

  private record Calls(List<String> all) {
    static void add(String calls, String call) {
      Fixtures.shared(calls, Calls.class).all().add(call);
    }

    /** The calls that start with a word, without it, in order. */
    List<String> of(String word) {
      return all.stream()
          .filter(call -> call.startsWith(word + " "))
          .map(call -> call.substring(word.length() + 1))
          .sorted()
          .toList();
    }
  }

  /** Has each kind of operator state and tells what it contains when it is opened. */
  private static final class Lists implements MapFunction<Event, String>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;
    private final String calls;
    private transient int subtask;
    private transient ListState<String> split;
    private transient ListState<String> union;
    private transient MapState<Integer, String> broadcast;

    Lists(String calls) {
      this.calls = calls;
    }

    @Override
    public void open(RuntimeContext context) {
      subtask = context.subtask();
      split = context.operatorListState(new ListStateDescriptor<>("split"));
      union = context.unionListState(new ListStateDescriptor<>("union"));
      broadcast = context.broadcastState(new MapStateDescriptor<>("broadcast"));
      split.values().forEach(element -> Calls.add(calls, "split " + element));
      Calls.add(calls, "union " + union.values().stream().sorted().toList());
      Calls.add(calls, "broadcast " + new TreeMap<>(broadcast.entries()));
      broadcast.put(1, "one");
      broadcast.put(2, "two");
      broadcast.put(3, "three");
      broadcast.remove(2);
      Calls.add(calls, "lifecycle " + subtask + " 1 open");
    }

    @Override
    public String map(Event event) {
      return "event";
    }

    @Override
    public void snapshotState(long checkpoint) {
      split.update(List.of("a" + subtask, "b" + subtask));
      split.add("c" + subtask);
      union.clear();
      union.add("u" + subtask);
      Calls.add(calls, "lifecycle " + subtask + " 2 snapshot " + checkpoint);
    }

    @Override
    public void checkpointCompleted(long checkpoint) {
      Calls.add(calls, "lifecycle " + subtask + " 3 completed " + checkpoint);
    }

    @Override
    public void close() {
      Calls.add(calls, "lifecycle " + subtask + " 4 close");
    }
  }

  private CheckpointRequest request() throws Exception {
    return request(1);
  }

  private CheckpointRequest request(long checkpoint) throws Exception {
    return new CheckpointRequest(
        checkpoint,
        System.currentTimeMillis(),
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        Files.createDirectories(directory.resolve("chk-" + checkpoint)).toString(),
        directory.toString(),
        0);
  }

  @Test
  @Behaviour("H4: a task hears once of the completion of each checkpoint that it took")
  void repeatedNoticesOfCompletionHaveNoEffect() throws Exception {
    Replay replay = new Replay(7, 50, 0);
    replay.allow(20);
    TestRun run =
        TestRun.start(
                CheckpointTest.graph(replay, (env, events) -> events.map(new Lists(callsName)), 1),
                host)
            .awaitRunning();
    run.complete(4);
    for (long checkpoint = 5; checkpoint <= 7; checkpoint++) {
      run.trigger(request(checkpoint));
      run.awaitStored(checkpoint);
    }
    run.complete(4);
    run.complete(6);
    run.complete(6);
    run.complete(5);
    run.complete(7);
    run.await("completion", () -> calls.all().contains("lifecycle 0 3 completed 7"));
    run.cancel();
    run.awaitEnd();

    assertThat(calls.all().stream().filter(call -> call.contains("completed")))
        .containsExactly("lifecycle 0 3 completed 6", "lifecycle 0 3 completed 7");
  }

  @Test
  @Behaviour("H1: functions have operator lists and broadcast maps, which are redistributed")
  void operatorStateIsRedistributed() throws Exception {
    CheckpointTest.Program program = (env, events) -> events.map(new Lists(callsName));
    Replay replay = new Replay(7, 50, 0);
    replay.allow(20);
    TestRun run = TestRun.start(CheckpointTest.graph(replay, program, 3), host).awaitRunning();
    CheckpointRequest request = request();
    run.trigger(request);
    run.awaitStored(1);
    run.complete(1);
    run.await("completion", () -> calls.of("lifecycle").size() == 9);
    StateAssignment state = run.assignment(request);
    run.cancel();
    run.awaitEnd();

    assertThat(calls.of("split")).isEmpty();
    assertThat(calls.of("union")).containsExactly("[]", "[]", "[]");
    for (int subtask = 0; subtask < 3; subtask++) {
      String prefix = "lifecycle " + subtask + " ";
      assertThat(calls.all().stream().filter(call -> call.startsWith(prefix)))
          .containsExactly(
              prefix + "1 open",
              prefix + "2 snapshot 1",
              prefix + "3 completed 1",
              prefix + "4 close");
    }

    for (int parallelism : new int[] {1, 2, 4}) {
      calls.all().clear();
      TestRun next =
          TestRun.of(CheckpointTest.graph(replay, program, parallelism), host)
              .restoring(state)
              .deploy(1 + parallelism, subtask -> 0)
              .awaitRunning();
      next.cancel();
      next.awaitEnd();

      assertThat(calls.of("split"))
          .containsExactly("a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2");
      assertThat(calls.of("union")).hasSize(parallelism).containsOnly("[u0, u1, u2]");
      assertThat(calls.of("broadcast")).hasSize(parallelism).containsOnly("{1=one, 3=three}");
    }
  }

  /** Fails each snapshot. */
  private static final class Failing implements MapFunction<Event, String>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public String map(Event event) {
      return "event";
    }

    @Override
    public void snapshotState(long checkpoint) {
      throw new IllegalStateException("the list is locked");
    }
  }

  @Test
  void exceptionOfAFunctionFailsTheCheckpointAndNotTheTask() throws Exception {
    Replay replay = new Replay(8, 50, 0);
    replay.allow(20);
    TestRun run =
        TestRun.start(
                CheckpointTest.graph(replay, (env, events) -> events.map(new Failing()), 1), host)
            .awaitRunning();
    run.trigger(request());
    run.await("failed checkpoint", () -> run.snapshotFailures(1).size() == 1);

    assertThat(run.snapshotFailures(1).values())
        .allSatisfy(failure -> assertThat(failure.message()).contains("the list is locked"));
    replay.allowAll();
    run.awaitEnd();
    assertThat(run.failures()).isEmpty();
  }

  // --- refused states

  private interface Ask {
    void of(RuntimeContext context);
  }

  /** A function of a window, of an aggregation and of a map. */
  private static final class Asking
      implements MapFunction<Object, Object>,
          AggregateFunction<Object, Object, Object>,
          ProcessWindowFunction<Object, Object, Object>,
          RichFunction {
    private static final long serialVersionUID = 1L;
    private final String ask;
    private transient RuntimeContext context;

    Asking(Ask ask) {
      this.ask = Fixtures.share(ask);
    }

    @Override
    public void open(RuntimeContext opened) {
      context = opened;
      Fixtures.shared(ask, Ask.class).of(opened);
    }

    @Override
    public Object map(Object record) {
      Fixtures.shared(ask, Ask.class).of(context);
      return record;
    }

    @Override
    public Object create() {
      return 0L;
    }

    @Override
    public Object add(Object accumulator, Object record) {
      return record;
    }

    @Override
    public Object result(Object accumulator) {
      return accumulator;
    }

    @Override
    public void process(
        Object key,
        Context window,
        Iterable<Object> content,
        io.millrace.api.function.Collector<Object> out) {}
  }

  private static OperatorSpec keyedMap(Ask ask) {
    return new OperatorSpec.Keyed(Fixtures.itself(), new OperatorSpec.Map(new Asking(ask)));
  }

  private List<String> failuresOf(OperatorSpec operator) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, Fixtures.numbers(2));
    JobVertex work = program.vertex("work", 1, operator, Fixtures.collect());
    program.edge(source, work, Partitioning.REBALANCE);
    TestRun run = TestRun.start(program.build(), host);
    run.await("failure", () -> run.count(TaskState.FAILED) == 1);
    run.cancel();
    run.awaitEnd();
    return run.failures().stream().map(Failure::message).toList();
  }

  @Test
  void nameOfAStateIsUniqueInAFunction() {
    Ask bothKinds =
        context -> {
          context.state(new ValueStateDescriptor<>("seen"));
          context.operatorListState(new ListStateDescriptor<>("seen"));
        };
    assertThat(failuresOf(keyedMap(bothKinds)))
        .singleElement()
        .asString()
        .contains(
            "State 'seen' of operator 'work-Keyed' is asked for as keyed state and as operator"
                + " state. Give each state a name of its own.");
    Ask twoLists =
        context -> {
          context.operatorListState(new ListStateDescriptor<>("seen"));
          context.unionListState(new ListStateDescriptor<>("seen"));
        };
    assertThat(failuresOf(new OperatorSpec.Map(new Asking(twoLists))))
        .singleElement()
        .asString()
        .contains("Operator state 'seen' is asked for with redistribution UNION and has SPLIT");
  }

  @Test
  void functionsOfOneOperatorHaveDifferentStates() {
    Ask seen = context -> context.state(new ValueStateDescriptor<>("seen"));
    OperatorSpec windows =
        new OperatorSpec.Window(
            Fixtures.itself(),
            new WindowSpec(
                new WindowAssigner.Aligned(10, 10, 0, false),
                0,
                "",
                new WindowSpec.Content.Aggregated(new Asking(seen)),
                new Asking(seen)));

    assertThat(failuresOf(windows))
        .singleElement()
        .asString()
        .contains("State 'seen' of operator 'work-Window' is asked for by two functions");
  }

  @Test
  void stateIsAskedForInOpen() {
    List<RuntimeContext> opened = new ArrayList<>();
    Ask late =
        context -> {
          if (opened.contains(context)) {
            context.state(new ValueStateDescriptor<>("late"));
          }
          opened.add(context);
        };

    assertThat(failuresOf(keyedMap(late)))
        .singleElement()
        .asString()
        .contains("State 'late' is asked for after open");
  }

  @Test
  void keyedStateNeedsAKeyedStream() {
    assertThat(
            failuresOf(
                new OperatorSpec.Map(
                    new Asking(context -> context.state(new ValueStateDescriptor<>("seen"))))))
        .singleElement()
        .asString()
        .contains(
            "State 'seen' belongs to a key, and the function of operator 'work-Map' has none");
  }

  /** Remembers the operators below it on the stack. */
  private static final class Stack implements MapFunction<Object, Object>, RichFunction {
    private static final long serialVersionUID = 1L;
    private final boolean withState;

    Stack(boolean withState) {
      this.withState = withState;
    }

    @Override
    public void open(RuntimeContext context) {
      if (withState) {
        context.state(new ValueStateDescriptor<>("seen"));
      }
    }

    @Override
    public Object map(Object record) {
      return StackWalker.getInstance()
          .walk(
              frames ->
                  frames.anyMatch(
                      frame -> frame.getClassName().equals(KeyedStateOperator.class.getName())));
    }
  }

  @Test
  void functionWithoutKeyedStateRunsAsIfItHadNoKey() {
    for (boolean withState : new boolean[] {false, true}) {
      TestJobGraph program = new TestJobGraph();
      JobVertex source = program.vertex("source", 1, Fixtures.numbers(2));
      JobVertex work =
          program.vertex(
              "work",
              1,
              new OperatorSpec.Keyed(Fixtures.itself(), new OperatorSpec.Map(new Stack(withState))),
              Fixtures.collect());
      program.edge(source, work, Partitioning.REBALANCE);

      TestRun run = TestRun.start(program.build(), host).awaitEnd();

      assertThat(run.collected()).containsExactly(withState, withState);
    }
  }

  /** Numbers the events of a key. */
  private static final class Numbering implements MapFunction<Event, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Integer> last;

    @Override
    public void open(RuntimeContext context) {
      last = context.state(new ValueStateDescriptor<>("last"));
    }

    @Override
    public String map(Event event) {
      last.update(last.value() == null ? 1 : last.value() + 1);
      return event.key() + " " + last.value();
    }
  }

  @Test
  @Behaviour("A2: state that its operator does not use any more is refused unless -n is given")
  void stateThatItsFunctionDoesNotUseAnyMoreIsRefused() throws Exception {
    refusedWithout(
        (env, events) -> events.keyBy(Event::key).map(new Numbering()),
        (env, events) -> events.keyBy(Event::key).map(event -> event.key() + " no state"),
        "last");
    refusedWithout(
        (env, events) -> events.map(new Lists(callsName)),
        (env, events) -> events.map(event -> event.key() + " no state"),
        "broadcast");
  }

  private void refusedWithout(
      CheckpointTest.Program before, CheckpointTest.Program after, String state) throws Exception {
    Replay replay = new Replay(7, 50, 0);
    replay.allow(20);
    TestRun run = TestRun.start(CheckpointTest.graph(replay, before, 2), host).awaitRunning();
    run.await("events are read", () -> replay.eventsRead() == 20 * Replay.SPLITS);
    CheckpointRequest request = request();
    run.trigger(request);
    run.awaitStored(1);
    StateAssignment restored = run.assignment(request);
    run.cancel();
    run.awaitEnd();

    JobGraph changed = CheckpointTest.graph(replay, after, 2);
    TestRun refused = TestRun.of(changed, host).restoring(restored).deploy(2, subtask -> 0);
    refused.await("a task fails", () -> !refused.failures().isEmpty());
    refused.cancel();
    refused.awaitEnd();
    assertThat(UnclaimedStateException.caused(refused.failures().get(0))).isTrue();
    assertThat(refused.failures().get(0).message())
        .contains("Checkpoint 1 has state of operator 'map'", state, "start the job with -n");

    replay.allowAll();
    JobGraph dropping =
        changed.withConfiguration(
            changed.configuration().with(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE, true));
    TestRun dropped = TestRun.of(dropping, host).restoring(restored).deploy(3, subtask -> 0);
    dropped.awaitEnd();
    assertThat(dropped.failures()).isEmpty();
  }

  /** Counts the events of a key until 100 ms after the last one. */
  private static final class Bursts implements MapFunction<Event, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Integer> count;

    @Override
    public void open(RuntimeContext context) {
      count =
          context.state(
              new ValueStateDescriptor<Integer>("count")
                  .withTtl(StateTtl.afterWrite(Duration.ofMillis(100))));
    }

    @Override
    public String map(Event event) {
      count.update(count.valueOr(0) + 1);
      return event.key() + " " + count.value();
    }
  }

  @Test
  void timeToLiveIsThatOfTheTasksClock() {
    try (ScriptedRun script = new ScriptedRun()) {
      TestRun run =
          script.start(
              env ->
                  env.fromSource(script.source(), "script")
                      .parallelism(1)
                      .keyBy(script.key())
                      .map(new Bursts())
                      .parallelism(1)
                      .collectAs("bursts"));
      long[] pauses = {0, 99, 100};
      for (int i = 0; i < pauses.length; i++) {
        script.advance(pauses[i]);
        script.send(0, List.of(new Event(i, "a", 0, RandomEvents.NO_WATERMARK)));
      }
      script.end();

      assertThat(run.failures()).isEmpty();
      assertThat(run.collected("bursts")).containsExactly("a 1", "a 2", "a 1");
    }
  }

  @Test
  void operatorStateHasNoTimeToLive() {
    StateTtl ttl = StateTtl.afterWrite(Duration.ofMillis(100));
    Ask limited =
        context -> context.operatorListState(new ListStateDescriptor<>("seen").withTtl(ttl));

    assertThat(failuresOf(new OperatorSpec.Map(new Asking(limited))))
        .singleElement()
        .asString()
        .contains("Operator state 'seen' of operator 'work-Map' has a time to live");
  }

  /** Sums in its state, and emits the sum at the end of the input of a batch job. */
  private static final class FinalSum
      implements AggregateFunction<Object, Object, Object>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Long> sum;

    @Override
    public void open(RuntimeContext context) {
      sum = context.state(new ValueStateDescriptor<>("sum"));
    }

    @Override
    public Object create() {
      return 0L;
    }

    @Override
    public Object add(Object accumulator, Object record) {
      sum.update(sum.valueOr(0L) + (long) record);
      return 0L;
    }

    @Override
    public Object result(Object accumulator) {
      return sum.value();
    }
  }

  @Test
  void lastResultsHaveTheStateOfTheirKeys() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, Fixtures.numbers(10));
    JobVertex work =
        program.vertex(
            "work",
            1,
            new OperatorSpec.Aggregate(record -> (long) record % 2, new FinalSum(), true),
            Fixtures.collect());
    program.edge(source, work, Partitioning.REBALANCE);

    TestRun run = TestRun.start(program.build(), host).awaitEnd();

    assertThat(run.failures()).isEmpty();
    assertThat(run.collected()).containsExactlyInAnyOrder(20L, 25L);
  }
}
