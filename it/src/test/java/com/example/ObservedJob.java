package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.accumulator.LongCounter;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;

/**
 * A job that has something to show at each path of REST: state, an accumulator, an exchange by key.
 * With an argument, its first attempt fails after some records.
 */
public final class ObservedJob {
  private static final long KEYS = 100;

  private ObservedJob() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(GeneratorSource.of(index -> index).perSecond(2000.0))
        .map(new Seen(args.length > 0))
        .keyBy(number -> number % KEYS)
        .count()
        .sinkTo(new DiscardSink<>());
    env.execute("observed");
  }

  private static final class Seen implements MapFunction<Long, Long>, RichFunction {
    private static final long serialVersionUID = 1L;
    private static final long FAILS_AT = 1000;

    private final boolean fails;
    private transient boolean first;
    private transient LongCounter seen;

    Seen(boolean fails) {
      this.fails = fails;
    }

    @Override
    public void open(RuntimeContext context) {
      first = context.attempt() == 0;
      seen = context.accumulator("seen", LongCounter::new);
    }

    @Override
    public Long map(Long number) {
      seen.add(1);
      if (fails && first && number >= FAILS_AT) {
        throw new IllegalStateException("the first attempt fails");
      }
      return number;
    }
  }
}
