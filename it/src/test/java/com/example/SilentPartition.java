package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import java.time.Duration;

/** Windows over a source of two instances; the second one never emits a record. */
public final class SilentPartition {
  private SilentPartition() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current().parallelism(2);
    env.fromSource(
            new Partitions(),
            WatermarkStrategy.<Long>forMonotonousTimestamps(time -> time),
            "partitions")
        .keyBy(time -> time % 10)
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
        .reduce(Long::sum)
        .name("per second")
        .sinkTo(new DiscardSink<>());
    env.execute("silent partition");
  }

  private record Partitions() implements NonReplayableSource<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Long> open(SourceContext context) {
      return new PollingReader<>() {
        private long time = 1_700_000_000_000L;

        @Override
        public Status poll(SourceOutput<Long> out, int limit) {
          if (context.subtask() == 0) {
            out.emit(time++);
            context.wakeAfter(Duration.ofMillis(1));
          }
          return Status.WAIT;
        }
      };
    }
  }
}
