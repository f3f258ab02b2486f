package io.millrace.dataplane;

import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.api.time.WatermarkStrategy;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Streams of events for tests of event time. */
final class RandomEvents {
  /** Of {@link Event#watermark} where none follows. */
  static final long NO_WATERMARK = Long.MIN_VALUE;

  /** Of {@link Event#watermark} where its source says that it is idle. */
  static final long IDLE = Long.MIN_VALUE + 1;

  private RandomEvents() {}

  /**
   * @param id tells events apart
   * @param watermark what follows it at once
   */
  record Event(int id, Object key, long time, long watermark) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /** Keys of one class, or of several. */
  private static Object key(Random random, int kind, int keys) {
    int number = random.nextInt(keys);
    return switch (kind) {
      case 0 -> (long) number;
      case 1 -> number;
      case 2 -> "key " + number;
      default -> number % 2 == 0 ? (Object) (long) number : (Object) number;
    };
  }

  /** Events that are out of order by at most this much, without watermarks. */
  static List<Event> bounded(Random random, int count, int disorder) {
    List<Event> events = new ArrayList<>();
    int kind = random.nextInt(4);
    int keys = 1 + random.nextInt(30);
    int pace = 1 + random.nextInt(20);
    long time = random.nextInt(1000) - 500L;
    for (int i = 0; i < count; i++) {
      time += random.nextInt(pace);
      if (random.nextInt(200) == 0) {
        time += random.nextInt(5_000);
      }
      long behind = disorder == 0 ? 0 : random.nextInt(disorder + 1);
      events.add(new Event(i, key(random, kind, keys), time - behind, NO_WATERMARK));
    }
    return events;
  }

  /** The same with watermarks that some of them are late for. */
  static List<Event> withLateOnes(Random random, int count, int disorder) {
    List<Event> events = new ArrayList<>();
    long highest = Long.MIN_VALUE;
    long watermark = Long.MIN_VALUE;
    int rarity = 1 + random.nextInt(40);
    for (Event event : bounded(random, count, disorder)) {
      highest = Math.max(highest, event.time());
      long follows = NO_WATERMARK;
      if (random.nextInt(rarity) == 0) {
        long reached = highest - random.nextInt(disorder / 2 + 1);
        if (reached > watermark) {
          watermark = reached;
          follows = reached;
        }
      }
      events.add(new Event(event.id(), event.key(), event.time(), follows));
    }
    return events;
  }

  /** Watermarks as the events say. */
  static WatermarkStrategy<Event> asSaid() {
    return WatermarkStrategy.<Event>forGenerator(AsSaid::new)
        .withTimestampAssigner((event, before) -> event.time());
  }

  static WatermarkStrategy<Event> within(int disorder) {
    return WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(disorder), Event::time);
  }

  /** As {@link #within}, with a watermark after each event. */
  static WatermarkStrategy<Event> closelyWithin(int disorder) {
    return WatermarkStrategy.<Event>forGenerator(() -> new Close(disorder))
        .withTimestampAssigner((event, before) -> event.time());
  }

  private static final class Close implements WatermarkGenerator<Event> {
    private final int disorder;
    private long highest = Long.MIN_VALUE;

    Close(int disorder) {
      this.disorder = disorder;
    }

    @Override
    public void onEvent(Event event, long timestamp, WatermarkOutput output) {
      if (timestamp > highest) {
        highest = timestamp;
        output.emitWatermark(highest - disorder - 1);
      }
    }
  }

  private static final class AsSaid implements WatermarkGenerator<Event> {
    @Override
    public void onEvent(Event event, long timestamp, WatermarkOutput output) {
      if (event.watermark() == IDLE) {
        output.markIdle();
      } else if (event.watermark() != NO_WATERMARK) {
        output.emitWatermark(event.watermark());
      }
    }
  }
}
