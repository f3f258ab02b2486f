package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Event;
import io.millrace.bench.load.JsonLine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * W5: {@code Scale <parallelism> [segmentKb] [requiredBuffersPerGate] [networkMbPerTaskManager]}.
 * Deploys an idle source -> keyBy -> sink on 10 TaskManagers in this process and cancels it.
 * requiredBuffersPerGate 0 keeps Flink's default; networkMb 0 computes what the job needs.
 */
public final class Scale {
  private static final int TASK_MANAGERS = Integer.getInteger("taskManagers", 10);
  private static final int HEARTBEAT_TIMEOUT_S = Integer.getInteger("heartbeatTimeoutS", 0);
  private static final int EXCLUSIVE_PER_CHANNEL = 2;
  private static final int FLOATING_PER_GATE = 8;
  private static final AtomicInteger OPENED = new AtomicInteger();

  private Scale() {}

  public static void main(String[] args) throws Exception {
    int parallelism = Integer.parseInt(args[0]);
    int segmentKb = args.length > 1 ? Integer.parseInt(args[1]) : 4;
    int perGate = args.length > 2 ? Integer.parseInt(args[2]) : 0;
    int slots = (parallelism + TASK_MANAGERS - 1) / TASK_MANAGERS;
    long gateBuffers =
        perGate > 0 ? perGate : (long) parallelism * EXCLUSIVE_PER_CHANNEL + FLOATING_PER_GATE;
    long buffers = slots * (parallelism + 1 + gateBuffers) + 1024;
    long networkMb =
        args.length > 3 && Long.parseLong(args[3]) > 0
            ? Long.parseLong(args[3])
            : buffers * segmentKb / 1024 + 1;

    Configuration conf = new Configuration();
    conf.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, MemorySize.parse(segmentKb + "kb"));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(networkMb));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(networkMb));
    conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
    conf.set(RestOptions.BIND_PORT, "0");
    if (HEARTBEAT_TIMEOUT_S > 0) {
      conf.set(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(HEARTBEAT_TIMEOUT_S));
    }
    if (perGate > 0) {
      conf.set(NettyShuffleEnvironmentOptions.NETWORK_READ_MAX_REQUIRED_BUFFERS_PER_GATE, perGate);
    }
    JsonLine json =
        new JsonLine(
            "flink",
            "W5",
            "p"
                + parallelism
                + "-"
                + segmentKb
                + "kb"
                + (perGate > 0 ? "-gate" + perGate : "")
                + (args.length > 3 ? "-net" + networkMb + "mb" : "")
                + (TASK_MANAGERS != 10 ? "-" + TASK_MANAGERS + "tm" : "")
                + (HEARTBEAT_TIMEOUT_S > 0 ? "-heartbeat" + HEARTBEAT_TIMEOUT_S + "s" : ""));
    json.put("networkMbPerTm", networkMb);

    long start = System.nanoTime();
    try (MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(conf)
                .setNumTaskManagers(TASK_MANAGERS)
                .setNumSlotsPerTaskManager(slots)
                .build())) {
      cluster.start();
      json.put("clusterStartMs", since(start));
      run(cluster, parallelism, json.put("heapBeforeMb", usedHeapMb()));
    } catch (Throwable failure) {
      json.put("error", root(failure));
    }
    json.print();
    System.exit(0);
  }

  private static void run(MiniCluster cluster, int parallelism, JsonLine json) throws Exception {
    long plan = System.nanoTime();
    JobGraph graph = graph(parallelism);
    JobID job = graph.getJobID();
    long submit = System.nanoTime();
    json.put("planMs", (submit - plan) / 1_000_000);
    cluster.submitJob(graph).get();
    json.put("submitAckMs", since(submit));
    CompletableFuture<?> ended =
        cluster
            .requestJobResult(job)
            .thenAccept(
                r -> r.getSerializedThrowable().ifPresent(t -> json.put("jobFailure", root(t))));
    while (OPENED.get() < 2 * parallelism && !ended.isDone()) {
      Thread.sleep(5);
    }
    json.put("allOpenedMs", since(submit));
    while (!allRunning(cluster, job) && !ended.isDone()) {
      Thread.sleep(20);
    }
    if (ended.isDone()) {
      return;
    }
    json.put("submitToAllRunningMs", since(submit));
    json.put("threads", Thread.activeCount());
    System.gc();
    json.put("heapAfterGcMb", usedHeapMb());

    long cancel = System.nanoTime();
    cluster.cancelJob(job).get();
    while (cluster.getJobStatus(job).get() != JobStatus.CANCELED) {
      Thread.sleep(10);
    }
    json.put("cancelMs", since(cancel));
  }

  private static JobGraph graph(int parallelism) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
    env.setMaxParallelism(Math.max(128, Integer.highestOneBit(parallelism) * 2));
    env.fromSource(
            new GenSource<>(1, 0, TypeInformation.of(Event.class), null, null),
            WatermarkStrategy.noWatermarks(),
            "idle")
        .keyBy(e -> e.key, Types.LONG)
        .sinkTo(new OpenedSink());
    return env.getStreamGraph().getJobGraph();
  }

  private static boolean allRunning(MiniCluster cluster, JobID job) throws Exception {
    return StreamSupport.stream(
            cluster.getExecutionGraph(job).get().getAllExecutionVertices().spliterator(), false)
        .allMatch(v -> v.getExecutionState() == ExecutionState.RUNNING);
  }

  static void opened() {
    OPENED.incrementAndGet();
  }

  private static long since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }

  private static long usedHeapMb() {
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
  }

  private static String root(Throwable failure) {
    Throwable t = failure;
    while (t.getCause() != null && t.getCause() != t) {
      t = t.getCause();
    }
    return t.toString();
  }

  private static final class OpenedSink implements Sink<Event> {
    @Override
    public SinkWriter<Event> createWriter(WriterInitContext context) {
      opened();
      return new SinkWriter<>() {
        @Override
        public void write(Event element, Context ignored) {}

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
      };
    }
  }
}
