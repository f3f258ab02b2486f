package io.millrace.bench.peers.jet;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.Traversers;
import com.hazelcast.jet.accumulator.LongAccumulator;
import com.hazelcast.jet.aggregate.AggregateOperations;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.ProcessingGuarantee;
import com.hazelcast.jet.core.EventTimePolicy;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.pipeline.Pipeline;
import com.hazelcast.jet.pipeline.Sink;
import com.hazelcast.jet.pipeline.Sinks;
import com.hazelcast.jet.pipeline.Sources;
import com.hazelcast.jet.pipeline.StreamSource;
import com.hazelcast.jet.pipeline.StreamStage;
import com.hazelcast.jet.pipeline.WindowDefinition;
import io.millrace.bench.load.Event;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.Text;

/** W3: {@code Throughput <a..f>}. Local parallelism is Jet's default, the number of cores. */
public final class Throughput {
  private Throughput() {}

  public static void main(String[] args) throws Exception {
    String workload = args[0];
    HazelcastInstance member = Member.start(true);
    Pipeline pipeline = Pipeline.create();
    boolean ordered = Boolean.getBoolean("preserveOrder");
    pipeline.setPreserveOrder(ordered);
    if (workload.equals("f")) {
      words(pipeline);
    } else {
      events(pipeline, workload);
    }
    JobConfig config = new JobConfig();
    if (workload.equals("e")) {
      config
          .setProcessingGuarantee(ProcessingGuarantee.EXACTLY_ONCE)
          .setSnapshotIntervalMillis(1000);
    }
    JsonLine json =
        new JsonLine(
            "jet",
            "W3" + workload,
            (ordered ? "ordered" : "default") + System.getProperty("note", ""));
    Job job = member.getJet().newJob(pipeline, config);
    SteadyState.measure(json);
    job.join();
    json.put("in", RecordMeter.in())
        .put("out", RecordMeter.out())
        .put("snapshots", RecordMeter.SNAPSHOTS.get())
        .print();
    member.shutdown();
    System.exit(0);
  }

  static <T> Sink<T> counting() {
    return Sinks.fromProcessor("count", ProcessorMetaSupplier.of(CountP::new));
  }

  private static StreamStage<Event> source(Pipeline pipeline, long keys, boolean timed) {
    GenP.Maker<Event> maker =
        gen -> {
          gen.advance();
          return new Event(gen.key(), gen.timestamp(), gen.value());
        };
    if (timed) {
      StreamSource<Event> source =
          Sources.streamFromProcessorWithWatermarks(
              "gen",
              false,
              (EventTimePolicy<? super Event> policy) ->
                  ProcessorMetaSupplier.of(
                      ProcessorSupplier.of(() -> new GenP<>(keys, maker, policy))));
      return pipeline.readFrom(source).withTimestamps(e -> e.timestamp, 0);
    }
    StreamSource<Event> source =
        Sources.streamFromProcessor(
            "gen",
            ProcessorMetaSupplier.of(ProcessorSupplier.of(() -> new GenP<>(keys, maker, null))));
    return pipeline.readFrom(source).withoutTimestamps();
  }

  private static void events(Pipeline pipeline, String workload) {
    StreamStage<Event> source =
        source(pipeline, workload.equals("d") ? 1_000_000 : 10_000, workload.equals("c"));
    switch (workload) {
      case "a" ->
          source
              .map(
                  e -> {
                    e.value *= 3;
                    return e;
                  })
              .filter(e -> (e.value & 1) == 0)
              .writeTo(counting());
      case "b", "d", "e" ->
          source
              .groupingKey(e -> e.key)
              .mapStateful(LongAccumulator::new, (sum, key, e) -> sum.add(e.value).get())
              .writeTo(counting());
      case "c" ->
          source
              .groupingKey(e -> e.key)
              .window(WindowDefinition.tumbling(1000))
              .aggregate(AggregateOperations.counting())
              .writeTo(counting());
      default -> throw new IllegalArgumentException(workload);
    }
  }

  private static void words(Pipeline pipeline) {
    String[] sentences = Text.sentences();
    GenP.Maker<String> maker =
        gen -> {
          gen.advance();
          return sentences[gen.index(Text.SENTENCES)];
        };
    StreamSource<String> source =
        Sources.streamFromProcessor(
            "gen",
            ProcessorMetaSupplier.of(ProcessorSupplier.of(() -> new GenP<>(1, maker, null))));
    pipeline
        .readFrom(source)
        .withoutTimestamps()
        .flatMap(line -> Traversers.traverseArray(line.split(" ")))
        .groupingKey(word -> word)
        .rollingAggregate(AggregateOperations.counting())
        .writeTo(counting());
  }
}
