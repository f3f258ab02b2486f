package io.millrace.bench.nexmark;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.bench.load.nexmark.Auction;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import io.millrace.bench.load.nexmark.Person;

/**
 * The input of a query. Queries without event time read it without watermarks, and instead of an
 * unbounded stream its first events again and again. Event time does not go back within an instance
 * of the source, so watermarks follow it without a delay.
 */
record NexmarkStreams(DataStream<NexmarkEvent> events) {
  /** Whether unbounded streams without event time are generated, too, instead of repeated. */
  private static final boolean GENERATED = Boolean.getBoolean("nexmark.generated");

  static NexmarkStreams untimed(StreamEnvironment env, NexmarkSettings settings) {
    return new NexmarkStreams(
        env.fromSource(
            settings.isBounded() || GENERATED
                ? new NexmarkSource(settings)
                : new NexmarkReplaySource(settings),
            "events"));
  }

  static NexmarkStreams timed(StreamEnvironment env, NexmarkSettings settings) {
    return new NexmarkStreams(
        env.fromSource(
            new NexmarkSource(settings),
            WatermarkStrategy.forMonotonousTimestamps(event -> event.dateTime),
            "events"));
  }

  DataStream<Person> persons() {
    return events.filter(event -> event instanceof Person).map(event -> (Person) event);
  }

  DataStream<Auction> auctions() {
    return events.filter(event -> event instanceof Auction).map(event -> (Auction) event);
  }

  DataStream<Bid> bids() {
    return events.filter(event -> event instanceof Bid).map(event -> (Bid) event);
  }
}
