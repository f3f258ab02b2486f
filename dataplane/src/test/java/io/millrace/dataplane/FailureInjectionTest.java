package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskState;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is thrown, wherever: the task fails, with that as its reason, and its host goes on. */
class FailureInjectionTest {
  private static final NetworkMemory MEMORY = new NetworkMemory(4 << 20, 4096);
  private static final ConnectionTimeouts PATIENT =
      new ConnectionTimeouts(
          Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(50));

  private final DataPlane here = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);
  private final DataPlane there = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

  /** Where user code is called. */
  enum Place {
    SOURCE_OPEN,
    SOURCE_POLL,
    SOURCE_CLOSE,
    TIMESTAMP,
    GENERATOR,
    ON_EVENT,
    PERIODIC,
    MAP,
    FILTER,
    FLAT_MAP,
    KEY,
    FUNCTION_OPEN,
    PROCESS,
    EVENT_TIMER,
    PROCESSING_TIMER,
    FUNCTION_CLOSE,
    AGGREGATE_ADD,
    AGGREGATE_RESULT,
    WINDOW,
    SINK_OPEN,
    SINK_WRITE,
    SINK_FLUSH,
    SINK_CLOSE
  }

  /** Kinds of throwables that something may treat differently. */
  enum Thrown {
    RUNTIME {
      @Override
      Throwable make() {
        return new IllegalStateException("injected");
      }
    },
    CHECKED {
      @Override
      Throwable make() {
        return new java.io.IOException("injected");
      }
    },
    INTERRUPTED {
      @Override
      Throwable make() {
        return new InterruptedException("injected");
      }
    },
    ERROR {
      @Override
      Throwable make() {
        return new AssertionError("injected");
      }
    },
    LINKAGE {
      @Override
      Throwable make() {
        return new NoClassDefFoundError("injected");
      }
    },
    VIRTUAL_MACHINE {
      @Override
      Throwable make() {
        return new OutOfMemoryError("injected");
      }
    },
    UNREADABLE {
      @Override
      Throwable make() {
        return new Unreadable();
      }
    };

    abstract Throwable make();
  }

  /** Has no message that could be read. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("unreadable");
    }
  }

  /** Throws in one place. */
  record Injection(Place place, Thrown thrown) implements Serializable {
    void pass(Place here) {
      if (here == place) {
        throw FailureInjectionTest.<RuntimeException>sneak(thrown.make());
      }
    }
  }

  /** Throws anything where nothing is declared. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> RuntimeException sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  /** Some numbers, a pause in which generators and timers get their turn, and the end. */
  record Numbers(Injection injection) implements NonReplayableSource<Long> {
    private static final long serialVersionUID = 1L;
    private static final int COUNT = 200;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public PollingReader<Long> open(SourceContext context) {
      injection.pass(Place.SOURCE_OPEN);
      return new PollingReader<>() {
        private long next;
        private boolean paused;

        @Override
        public Status poll(SourceOutput<Long> out, int limit) {
          if (next < COUNT) {
            out.emit(next++);
            return Status.MORE;
          }
          injection.pass(Place.SOURCE_POLL);
          if (!paused) {
            paused = true;
            context.wakeAfter(Duration.ofMillis(300));
            return Status.WAIT;
          }
          return Status.END;
        }

        @Override
        public void close() {
          injection.pass(Place.SOURCE_CLOSE);
        }
      };
    }
  }

  record Generator(Injection injection) implements WatermarkGenerator<Long>, Serializable {
    @Override
    public void onEvent(Long record, long timestamp, WatermarkOutput output) {
      injection.pass(Place.ON_EVENT);
      output.emitWatermark(timestamp);
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      injection.pass(Place.PERIODIC);
    }
  }

  private static final class Timers extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;
    private final Injection injection;

    Timers(Injection injection) {
      this.injection = injection;
    }

    @Override
    public void open(RuntimeContext context) {
      injection.pass(Place.FUNCTION_OPEN);
    }

    @Override
    public void process(Long record, Context<Long> context, Collector<Long> out) {
      injection.pass(Place.PROCESS);
      context.timerService().registerEventTimeTimer(record + 10);
      context
          .timerService()
          .registerProcessingTimeTimer(context.timerService().currentProcessingTime() + 5);
      out.emit(record);
    }

    @Override
    public void onTimer(long time, OnTimerContext<Long> context, Collector<Long> out) {
      injection.pass(
          context.timeDomain() == TimeDomain.EVENT_TIME
              ? Place.EVENT_TIMER
              : Place.PROCESSING_TIMER);
    }

    @Override
    public void close() {
      injection.pass(Place.FUNCTION_CLOSE);
    }
  }

  record Sum(Injection injection) implements AggregateFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long create() {
      return 0L;
    }

    @Override
    public Long add(Long sum, Long record) {
      injection.pass(Place.AGGREGATE_ADD);
      return sum + record;
    }

    @Override
    public Long result(Long sum) {
      injection.pass(Place.AGGREGATE_RESULT);
      return sum;
    }
  }

  record Writing(Injection injection) implements Sink<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Long> createWriter(SinkContext context) {
      injection.pass(Place.SINK_OPEN);
      return new SinkWriter<>() {
        @Override
        public void write(Long record) {
          injection.pass(Place.SINK_WRITE);
        }

        @Override
        public void flush(boolean endOfInput) {
          injection.pass(Place.SINK_FLUSH);
        }

        @Override
        public void close() {
          injection.pass(Place.SINK_CLOSE);
        }
      };
    }
  }

  private static void program(StreamEnvironment env, Injection injection) {
    WatermarkStrategy<Long> strategy =
        WatermarkStrategy.<Long>forGenerator(
                () -> {
                  injection.pass(Place.GENERATOR);
                  return new Generator(injection);
                })
            .withTimestampAssigner(
                (record, before) -> {
                  injection.pass(Place.TIMESTAMP);
                  return record;
                });
    env.configure("pipeline.auto-watermark-interval", "20 ms");
    env.parallelism(2);
    env.fromSource(new Numbers(injection), strategy, "numbers")
        .map(
            record -> {
              injection.pass(Place.MAP);
              return record;
            })
        .filter(
            record -> {
              injection.pass(Place.FILTER);
              return true;
            })
        .<Long>flatMap(
            (record, out) -> {
              injection.pass(Place.FLAT_MAP);
              out.emit(record);
            })
        .keyBy(
            record -> {
              injection.pass(Place.KEY);
              return record % 7;
            })
        .process(new Timers(injection))
        .keyBy(record -> record % 5)
        .window(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
        .<Long, Long, Long>aggregate(
            new Sum(injection),
            (key, context, content, out) -> {
              injection.pass(Place.WINDOW);
              content.forEach(out::emit);
            })
        .rebalance()
        .sinkTo(new Writing(injection));
  }

  private Failure firstFailure(TestRun run) {
    run.await("a failure", () -> !run.failures().isEmpty());
    run.cancel();
    run.awaitEnd();
    assertThat(run.violations()).isEmpty();
    return run.failures().get(0);
  }

  private void assertHostsGoOn() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 4, Fixtures.numbers(100));
    JobVertex sink = program.vertex("sink", 4, Fixtures.collect());
    program.edge(source, sink, Partitioning.REBALANCE);
    assertThat(TestRun.start(program.build(), here, there).awaitEnd().collected()).hasSize(100);
  }

  @ParameterizedTest
  @EnumSource(Thrown.class)
  void whateverUserCodeThrowsFailsItsTask(Thrown thrown) {
    for (Place place : Place.values()) {
      Injection injection = new Injection(place, thrown);
      TestRun run = TestRun.start(ProgramGraphs.graph(env -> program(env, injection)), here, there);
      Failure failure;
      try {
        failure = firstFailure(run);
      } catch (AssertionError e) {
        throw new AssertionError(injection.toString(), e);
      }
      assertThat(failure.message()).as("%s", injection).contains(expected(thrown));
      assertThat(failure.stack()).as("%s", injection).contains("FailureInjectionTest");
    }
    assertHostsGoOn();
  }

  private static String expected(Thrown thrown) {
    return thrown == Thrown.UNREADABLE ? "Unreadable" : "injected";
  }

  /** Where in the life of a batch a record is written that cannot be. */
  enum Leaving {
    /** While the task goes on, after it has been busy for a while. */
    BUSY,
    /** When the task has nothing more to do. */
    IDLE,
    /** When a batch is full. */
    FULL,
    /** At the end of the input. */
    END,
    /** Ahead of a watermark. */
    WATERMARK
  }

  private static OperatorSpec unwritable(int everyMillis) {
    return new OperatorSpec.Map(
        record -> {
          if (everyMillis > 0) {
            Thread.sleep(everyMillis);
          }
          return Thread.currentThread();
        });
  }

  @ParameterizedTest
  @EnumSource(Leaving.class)
  void aRecordThatCannotBeWrittenFailsItsTask(Leaving leaving) {
    TestJobGraph program = new TestJobGraph();
    OperatorSpec[] chain =
        switch (leaving) {
          case BUSY -> new OperatorSpec[] {Fixtures.numbers(100_000), unwritable(5)};
          case IDLE ->
              new OperatorSpec[] {new OperatorSpec.Source(new OneAndWait()), unwritable(0)};
          case FULL -> new OperatorSpec[] {Fixtures.numbers(100_000), unwritable(0)};
          case END -> new OperatorSpec[] {Fixtures.numbers(1), unwritable(0)};
          case WATERMARK ->
              new OperatorSpec[] {
                new OperatorSpec.Source(new OneAndWait()),
                unwritable(0),
                new OperatorSpec.Timestamps(
                    WatermarkStrategy.forGenerator(
                            () -> (record, timestamp, output) -> output.emitWatermark(timestamp))
                        .withTimestampAssigner((record, before) -> 1),
                    false)
              };
        };
    JobVertex source = program.vertex("source", 1, chain);
    JobVertex sink = program.vertex("sink", 2, Fixtures.discard());
    program.edge(source, sink, Partitioning.BROADCAST);
    Failure failure = firstFailure(TestRun.start(program.build(), here, there));
    assertThat(failure.message()).contains("exchange to sink", "java.lang.Thread");
    assertHostsGoOn();
  }

  /** One record, and then it waits for ever. */
  record OneAndWait() implements NonReplayableSource<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Object> open(SourceContext context) {
      return new PollingReader<>() {
        private boolean done;

        @Override
        public Status poll(SourceOutput<Object> out, int limit) {
          if (!done) {
            done = true;
            out.emit(1L);
          }
          return Status.WAIT;
        }
      };
    }
  }

  @Test
  void userCodeCannotHideThatARecordItEmittedCannotBeWritten() {
    for (boolean side : List.of(false, true)) {
      TestRun run =
          TestRun.start(
              ProgramGraphs.graph(
                  env -> {
                    var processed =
                        env.generate(index -> index, 100_000)
                            .parallelism(1)
                            .<Object>process(
                                (record, context, out) -> {
                                  try {
                                    if (side) {
                                      context.output(
                                          new OutputTag<Object>("x"), Thread.currentThread());
                                    } else {
                                      out.emit(Thread.currentThread());
                                    }
                                  } catch (Exception e) {
                                    // What the test is about.
                                    assertThat(e).isNotNull();
                                  }
                                })
                            .parallelism(1);
                    (side ? processed.sideOutput(new OutputTag<Object>("x")) : processed)
                        .broadcast()
                        .sinkTo(new Fixtures.Discard())
                        .parallelism(2);
                  }),
              here,
              there);
      assertThat(firstFailure(run).message()).contains("exchange to", "java.lang.Thread");
    }
  }

  /** What a listener hears. */
  private enum Call {
    INITIALIZING,
    RUNNING,
    COLLECTED,
    COUNTED,
    TERMINAL
  }

  /** Throws some times before it passes on what it hears. */
  private record Deaf(TaskListener to, Call call, AtomicInteger times) implements TaskListener {
    private void hear(Call heard) {
      if (heard == call && times.getAndDecrement() > 0) {
        throw new AssertionError("injected");
      }
    }

    @Override
    public void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure) {
      hear(
          switch (state) {
            case INITIALIZING -> Call.INITIALIZING;
            case RUNNING -> Call.RUNNING;
            default -> Call.TERMINAL;
          });
      to.stateChanged(execution, state, failure);
    }

    @Override
    public void counted(TaskCounters last) {
      hear(Call.COUNTED);
      to.counted(last);
    }

    @Override
    public void collected(
        ExecutionId execution, String name, Bytes records, int count, Runnable accepted) {
      hear(Call.COLLECTED);
      to.collected(execution, name, records, count, accepted);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INITIALIZING", "RUNNING", "COLLECTED", "COUNTED", "TERMINAL"})
  void aListenerThatThrowsLeavesNoTaskWithoutAnEnd(String name) {
    Call call = Call.valueOf(name);
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(100));
    JobVertex sink = program.vertex("sink", 2, Fixtures.collect());
    program.edge(source, sink, Partitioning.REBALANCE);
    AtomicInteger times = new AtomicInteger(3);
    TestRun run =
        TestRun.of(program.build(), here, there)
            .listeningThrough(listener -> new Deaf(listener, call, times))
            .deploy(1, subtask -> subtask % 2);
    if (call == Call.COUNTED || call == Call.TERMINAL) {
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
    } else {
      assertThat(firstFailure(run).message()).contains("injected");
    }
    assertHostsGoOn();
  }
}
