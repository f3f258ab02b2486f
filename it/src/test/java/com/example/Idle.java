package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;

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

  private static final class Silence implements Source<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public SourceReader<String> open(SourceContext context) {
      return new SourceReader<>() {
        @Override
        public Status poll(Collector<String> out, int limit) {
          return Status.WAIT;
        }
      };
    }
  }
}
