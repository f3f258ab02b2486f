package io.millrace.dataplane;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.source.CollectionSource;
import io.millrace.dataplane.RandomEvents.Event;
import java.util.List;
import java.util.Random;

/**
 * Two random streams of the same keys, of which one may be much longer than the other. No record is
 * late.
 *
 * @param random for the program that reads them
 */
record RandomStreams(List<Event> first, List<Event> second, int disorder, Random random) {
  /** The first id in the second stream. */
  static final int SECOND = 1_000_000;

  private static final int KEYS = 12;

  static RandomStreams of(long seed, int most) {
    Random random = new Random(seed);
    int disorder = random.nextInt(200);
    return new RandomStreams(
        stream(random, most, disorder, 0),
        stream(random, most, disorder, SECOND),
        disorder,
        random);
  }

  private static List<Event> stream(Random random, int most, int disorder, int firstId) {
    return RandomEvents.bounded(random, random.nextInt(most), disorder).stream()
        .map(
            event ->
                new Event(
                    firstId + event.id(),
                    "key " + random.nextInt(KEYS),
                    event.time(),
                    event.watermark()))
        .toList();
  }

  DataStream<Event> first(StreamEnvironment env) {
    return in(env, first);
  }

  DataStream<Event> second(StreamEnvironment env) {
    return in(env, second);
  }

  private DataStream<Event> in(StreamEnvironment env, List<Event> events) {
    int parallelism = 1 + random.nextInt(4);
    return env.fromSource(CollectionSource.of(events), "events")
        .parallelism(parallelism)
        .assignTimestampsAndWatermarks(RandomEvents.within(disorder))
        .parallelism(parallelism);
  }
}
