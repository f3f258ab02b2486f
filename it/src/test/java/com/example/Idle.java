package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;

/** An unbounded job without records: source → keyBy → sink. */
public final class Idle {
  private Idle() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    build(env);
    env.execute("idle");
  }

  /** Adds the streams of the job. */
  public static void build(StreamEnvironment env) {
    env.fromSource(new Silence(), "silence")
        .keyBy(word -> word)
        .count()
        .sinkTo(new DiscardSink<>())
        .name("discard");
  }

  private static final class Silence implements NonReplayableSource<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<String> open(SourceContext context) {
      return new PollingReader<>() {
        @Override
        public Status poll(SourceOutput<String> out, int limit) {
          return Status.WAIT;
        }
      };
    }
  }
}
