package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.custom.OneInputOperator;
import io.millrace.api.custom.OperatorOutput;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.CoMapFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.BroadcastProcessFunction;
import io.millrace.api.process.CoProcessFunction;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.GlobalCommitter;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.TextFileSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.CountTrigger;
import io.millrace.api.window.CustomWindows;
import io.millrace.api.window.GlobalWindows;
import io.millrace.api.window.ProcessingTimeSessionWindows;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Every kind of operator and every kind of window can be opened, run and ended. */
class EveryOperatorTest {
  private static final String DATA_SET = new DataSetId(new Id128(3, 4)).toString();

  /** Counts records. */
  private static final class Count implements AggregateFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object create() {
      return 0L;
    }

    @Override
    public Object add(Object count, Object record) {
      return (long) count + 1;
    }

    @Override
    public Object result(Object count) {
      return count;
    }
  }

  /** Passes records on. */
  private static final class PassOn extends KeyedProcessFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object record, KeyedProcessFunction.Context<Object> context, Collector<Object> out) {
      out.emit(record);
    }
  }

  private static final class CustomPassOn extends OneInputOperator<Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Object record, Context context, OperatorOutput<Object> out) {
      out.emit(record);
    }
  }

  /** Maps records of two inputs to themselves. */
  private static final class Both
      implements CoMapFunction<Object, Object, Object>, CoFlatMapFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object map1(Object record) {
      return record;
    }

    @Override
    public Object map2(Object record) {
      return record;
    }

    @Override
    public void flatMap1(Object record, Collector<Object> out) {
      out.emit(record);
    }

    @Override
    public void flatMap2(Object record, Collector<Object> out) {
      out.emit(record);
    }
  }

  private static final class CoPassOn extends CoProcessFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process1(Object record, CoProcessFunction.Context context, Collector<Object> out) {
      out.emit(record);
    }

    @Override
    public void process2(Object record, CoProcessFunction.Context context, Collector<Object> out) {
      out.emit(record);
    }
  }

  private static final class KeyedCoPassOn
      extends KeyedCoProcessFunction<Object, Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process1(
        Object record, KeyedCoProcessFunction.Context<Object> context, Collector<Object> out) {
      out.emit(record);
    }

    @Override
    public void process2(
        Object record, KeyedCoProcessFunction.Context<Object> context, Collector<Object> out) {
      out.emit(record);
    }
  }

  private static final class BroadcastPassOn
      extends BroadcastProcessFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object record, BroadcastProcessFunction.ReadOnlyContext context, Collector<Object> out) {
      out.emit(record);
    }

    @Override
    public void processBroadcast(
        Object record, BroadcastProcessFunction.Context context, Collector<Object> out) {
      out.emit(record);
    }
  }

  private static final class KeyedBroadcastPassOn
      extends KeyedBroadcastProcessFunction<Object, Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object record,
        KeyedBroadcastProcessFunction.ReadOnlyContext<Object> context,
        Collector<Object> out) {
      out.emit(record);
    }

    @Override
    public void processBroadcast(
        Object record,
        KeyedBroadcastProcessFunction.Context<Object> context,
        Collector<Object> out) {
      out.emit(record);
    }
  }

  private record Nothing() implements GlobalCommittingSink<Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<Object, Object> createWriter(SinkContext context) {
      throw new UnsupportedOperationException();
    }

    @Override
    public GlobalCommitter<Object> createGlobalCommitter(SinkContext context) {
      return committables -> {};
    }
  }

  private static OperatorSpec window(WindowAssigner assigner) {
    return new OperatorSpec.Window(
        Fixtures.itself(),
        new WindowSpec(
            assigner, 0, "", new WindowSpec.Content.Records(), WindowSpec.PassThrough.INSTANCE));
  }

  private static final List<WindowAssigner> ASSIGNERS =
      List.of(new WindowAssigner.Aligned(10, 10, 0, false), new WindowAssigner.Session(10, false));

  /** Windows that run as a keyed function. */
  private static final List<WindowAssigner> TRIGGERED =
      List.of(
          GlobalWindows.create(),
          CustomWindows.ofProcessingTime(
              (Long number, long time) -> List.of(new TimeWindow(0, Long.MAX_VALUE / 2))),
          ProcessingTimeSessionWindows.withDynamicGap((Long number) -> number + 3_600_000));

  @SuppressWarnings("unchecked") // Records are objects here.
  private static final EnumeratedSource<Object, ?, ?> LINES =
      (EnumeratedSource<Object, ?, ?>) (EnumeratedSource<?, ?, ?>) TextFileSource.of("pom.xml");

  private static final List<OperatorSpec> ALL =
      List.of(
          Fixtures.numbers(3),
          new OperatorSpec.Enumerate(LINES),
          new OperatorSpec.Map(record -> record),
          new OperatorSpec.FlatMap((record, out) -> out.emit(record)),
          new OperatorSpec.Filter(record -> true),
          new OperatorSpec.Reduce(Fixtures.itself(), (one, other) -> one, false),
          new OperatorSpec.Aggregate(Fixtures.itself(), new Count(), true),
          new OperatorSpec.Timestamps(
              WatermarkStrategy.<Object>forMonotonousTimestamps()
                  .withTimestampAssigner((record, before) -> (long) record),
              false),
          new OperatorSpec.Processing((record, context, out) -> out.emit(record)),
          new OperatorSpec.KeyedProcessing(Fixtures.itself(), new PassOn()),
          new OperatorSpec.Keyed(
              Fixtures.itself(),
              new OperatorSpec.Processing((record, context, out) -> out.emit(record))),
          window(ASSIGNERS.get(0)),
          window(ASSIGNERS.get(1)),
          new OperatorSpec.Async(
              record -> CompletableFuture.completedFuture(List.of(record)),
              true,
              Duration.ofMinutes(1),
              2,
              AsyncRetryStrategy.none()),
          new OperatorSpec.Custom(new CustomPassOn()),
          new OperatorSpec.KeyedCustom(List.of(Fixtures.itself()), new CustomPassOn()),
          new OperatorSpec.CoMap(new Both()),
          new OperatorSpec.CoFlatMap(new Both()),
          new OperatorSpec.CoProcessing(new CoPassOn()),
          new OperatorSpec.KeyedCoProcessing(
              Fixtures.itself(), Fixtures.itself(), new KeyedCoPassOn()),
          new OperatorSpec.KeyedCo(
              Fixtures.itself(), Fixtures.itself(), new OperatorSpec.CoMap(new Both())),
          new OperatorSpec.BroadcastProcessing(new BroadcastPassOn(), List.of("rules")),
          new OperatorSpec.KeyedBroadcastProcessing(
              Fixtures.itself(), new KeyedBroadcastPassOn(), List.of("rules")),
          Fixtures.discard(),
          new OperatorSpec.GlobalCommit(new Nothing()),
          Fixtures.collect(),
          new OperatorSpec.Cache(DATA_SET),
          new OperatorSpec.ReadCached(
              DATA_SET, new JobId(new Id128(5, 6)).toString(), 1, List.of()));

  @Test
  void everyPermittedSubclassIsTested() {
    assertThat(ALL)
        .extracting(Object::getClass)
        .contains(OperatorSpec.class.getPermittedSubclasses());
    List<WindowAssigner> assigners = new ArrayList<>(ASSIGNERS);
    assigners.addAll(TRIGGERED);
    assertThat(assigners)
        .extracting(Object::getClass)
        .contains(WindowAssigner.class.getPermittedSubclasses());
  }

  @Test
  void everyTriggeredWindowRunsToItsEnd() {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      for (WindowAssigner assigner : TRIGGERED) {
        TestRun run =
            TestRun.start(
                    ProgramGraphs.graph(
                        env ->
                            env.generate(index -> index, 3)
                                .keyBy(number -> 0)
                                .window(assigner)
                                .trigger(CountTrigger.of(3))
                                .count()
                                .collectAs("out")),
                    host)
                .awaitEnd();
        assertThat(run.failures()).as("%s", assigner).isEmpty();
        assertThat(run.collected("out")).hasSize(1);
      }
    }
  }

  @Test
  void everyOperatorRunsToItsEnd() throws Exception {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      for (OperatorSpec spec : ALL) {
        TestJobGraph graph = new TestJobGraph();
        if (spec instanceof OperatorSpec.Source || spec instanceof OperatorSpec.ReadCached) {
          graph.vertex("operator", 1, spec);
        } else if (spec instanceof OperatorSpec.Enumerate) {
          JobVertex readers = graph.vertex("readers", 1, new OperatorSpec.Source(LINES));
          graph.edge(graph.vertex("operator", 1, spec), readers, Partitioning.REBALANCE);
        } else {
          JobVertex source = graph.vertex("source", 1, Fixtures.numbers(3));
          graph.edge(source, graph.vertex("operator", 1, spec), Partitioning.REBALANCE);
        }
        TestRun run = TestRun.start(graph.build(), host).awaitEnd();
        assertThat(run.failures()).as("%s", spec).isEmpty();
      }
    }
  }
}
