package io.millrace.examples;

import io.millrace.api.Counted;
import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;
import java.util.List;

/**
 * Counts generated records per key until it is cancelled; an example for {@code list} and {@code
 * cancel}.
 *
 * <p>{@code --rate N} records per second (1000), distributed over {@code --keys K} keys (100).
 * {@code --print} prints every new count on the TaskManagers instead of discarding it.
 */
public final class RateCounter {
  private RateCounter() {}

  public static void main(String[] args) {
    Arguments arguments = Arguments.parse(args, List.of("--rate", "--keys"), List.of("--print"));
    long rate = arguments.positive("--rate", 1000);
    long keys = arguments.positive("--keys", 100);

    StreamEnvironment env = StreamEnvironment.current();
    DataStream<Counted<Long>> counts =
        env.generate(GeneratorSource.of(index -> index % keys).perSecond((double) rate))
            .keyBy(key -> key)
            .count();
    if (arguments.has("--print")) {
      counts.map(counted -> counted.key() + "\t" + counted.count()).name("format").print();
    } else {
      counts.sinkTo(new DiscardSink<>()).name("discard");
    }
    env.execute("rate counter");
  }
}
