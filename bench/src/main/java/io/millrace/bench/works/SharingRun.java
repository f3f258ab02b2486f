package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.bench.load.Cpu;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.SteadyState;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** Many tasks on the two core threads of one TaskManager: {@code idle|fairness|isolation}. */
public final class SharingRun {
  private static final int PAIRS = 1000;
  private static final int ROUNDS = 8;
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** The number of emitted records per subtask, on separate cache lines. */
  private static final AtomicLongArray EMITTED = new AtomicLongArray(8 * PAIRS);

  private static volatile boolean sleepy;

  private SharingRun() {}

  public static void main(String[] arguments) throws Exception {
    JsonLine json = new JsonLine("millrace", arguments[0], "default");
    Configuration configuration =
        Configuration.EMPTY
            .with("taskmanager.numberOfTaskSlots", String.valueOf(PAIRS))
            .with("taskmanager.cores", "2");
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
      switch (arguments[0]) {
        case "idle" -> idle(cluster, json);
        case "fairness" -> fairness(cluster, json);
        case "isolation" -> isolation(cluster, json);
        default -> throw new IllegalArgumentException("No work " + arguments[0]);
      }
    }
    json.print();
  }

  private static void start(
      EmbeddedCluster cluster, int parallelism, Consumer<StreamEnvironment> program, int tasks)
      throws Exception {
    ClusterJobExecutor executor =
        new ClusterJobExecutor(
            cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
    JobClient job =
        new ProgramContext(executor, Configuration.EMPTY)
            .during(
                () -> {
                  StreamEnvironment env = StreamEnvironment.current().parallelism(parallelism);
                  program.accept(env);
                  return env.executeAsync("sharing");
                });
    while (cluster
            .job(job.id())
            .map(seen -> seen.tasks().getOrDefault(TaskState.RUNNING, 0))
            .orElse(0)
        < tasks) {
      Thread.sleep(5);
    }
  }

  /** 2,000 idle tasks. */
  private static void idle(EmbeddedCluster cluster, JsonLine json) throws Exception {
    start(
        cluster,
        PAIRS,
        env ->
            env.fromSource(new Numbers(Kind.SILENT), "silent")
                .keyBy(number -> number)
                .sinkTo(new DiscardSink<>()),
        2 * PAIRS);
    // Waits for the compilations that the start has caused.
    Thread.sleep(1000L * SteadyState.WARM_UP_S);
    Cpu cpu = new Cpu();
    Thread.sleep(1000L * SteadyState.MEASURE_S);
    json.put("percentOfACore", 100 * cpu.ownCores()).put("otherCores", cpu.otherCores());
  }

  /** 2,000 busy tasks. */
  private static void fairness(EmbeddedCluster cluster, JsonLine json) throws Exception {
    start(
        cluster,
        PAIRS,
        env ->
            env.fromSource(new Numbers(Kind.COUNTED), "numbers")
                .rescale()
                .sinkTo(new DiscardSink<>()),
        2 * PAIRS);
    Cpu.await(SteadyState.WARM_UP_S);
    long[] before = emitted();
    Cpu cpu = new Cpu();
    // Long enough for each task to run some dozens of times on a busy machine.
    Cpu.await(3 * SteadyState.MEASURE_S);
    long[] after = emitted();
    long[] counts = new long[PAIRS];
    Arrays.setAll(counts, i -> after[i] - before[i]);
    Arrays.sort(counts);
    json.put("mostToLeast", (double) counts[PAIRS - 1] / Math.max(1, counts[0]))
        .put("least", counts[0])
        .put("median", counts[PAIRS / 2])
        .put("most", counts[PAIRS - 1])
        .put("records", LongStream.of(counts).sum());
    cpu.report(json);
  }

  private static long[] emitted() {
    long[] emitted = new long[PAIRS];
    Arrays.setAll(emitted, i -> EMITTED.get(8 * i));
    return emitted;
  }

  /** A job alone and beside a job whose function sleeps 1 s per record, in turn. */
  private static void isolation(EmbeddedCluster cluster, JsonLine json) throws Exception {
    start(
        cluster,
        4,
        env ->
            env.fromSource(new Numbers(Kind.AT_TIMES), "at times")
                .map(SharingRun::sleep)
                .sinkTo(new DiscardSink<>()),
        4);
    start(
        cluster,
        2,
        env ->
            env.fromSource(new Numbers(Kind.COUNTED), "numbers")
                .keyBy(number -> number % 10_000)
                .sum(number -> number)
                .sinkTo(new DiscardSink<>()),
        4);
    Thread.sleep(1000L * SteadyState.WARM_UP_S);
    double[] alone = new double[ROUNDS];
    double[] beside = new double[ROUNDS];
    double[] aloneOfACore = new double[ROUNDS];
    double[] besideOfACore = new double[ROUNDS];
    long part = 1000L * SteadyState.MEASURE_S / (2 * ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
      sleepy = false;
      // Sleeping tasks end only after they wake.
      Thread.sleep(1500);
      measure(part, alone, aloneOfACore, i);
      sleepy = true;
      Thread.sleep(500);
      measure(part, beside, besideOfACore, i);
    }
    double before = median(alone);
    double after = median(beside);
    json.put("percentSlower", 100 * (1 - after / before))
        .put("percentSlowerPerCoreSecond", 100 * (1 - median(besideOfACore) / median(aloneOfACore)))
        .put("alonePerS", before)
        .put("besidePerS", after);
  }

  private static void measure(long millis, double[] perSecond, double[] perCoreSecond, int round)
      throws InterruptedException {
    long before = LongStream.of(emitted()).sum();
    long began = System.nanoTime();
    Cpu cpu = new Cpu();
    Thread.sleep(millis);
    double seconds = (System.nanoTime() - began) / 1e9;
    double cores = cpu.ownCores();
    perSecond[round] = (LongStream.of(emitted()).sum() - before) / seconds;
    perCoreSecond[round] = perSecond[round] / cores;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  private static long sleep(long number) throws InterruptedException {
    Thread.sleep(1000);
    return number;
  }

  private enum Kind {
    SILENT,
    COUNTED,
    AT_TIMES
  }

  /** An unbounded source of numbers: none, continuous, or at intervals. */
  private record Numbers(Kind kind) implements NonReplayableSource<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Long> open(SourceContext context) {
      return new Reader(kind, context);
    }
  }

  private static final class Reader implements PollingReader<Long> {
    private final Kind kind;
    private final SourceContext context;
    private long next;

    Reader(Kind kind, SourceContext context) {
      this.kind = kind;
      this.context = context;
    }

    @Override
    public Status poll(SourceOutput<Long> out, int limit) {
      if (kind == Kind.AT_TIMES) {
        if (sleepy) {
          out.emit(next++);
          return Status.MORE;
        }
        context.wakeAfter(PAUSE);
        return Status.WAIT;
      }
      if (kind == Kind.SILENT) {
        return Status.WAIT;
      }
      for (int i = 0; i < limit; i++) {
        out.emit(next++);
      }
      EMITTED.lazySet(8 * context.subtask(), next);
      return Status.MORE;
    }
  }
}
