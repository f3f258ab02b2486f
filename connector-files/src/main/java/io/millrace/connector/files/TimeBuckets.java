package io.millrace.connector.files;

import io.millrace.api.function.LongExtractor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Buckets by time. */
final class TimeBuckets<T> implements BucketAssigner<T> {
  private static final long serialVersionUID = 1L;

  private final String pattern;
  private final ZoneId zone;

  /** Null for the processing time. */
  private final LongExtractor<T> time;

  /** Formatters do not travel. */
  private transient DateTimeFormatter formatter;

  /** Records that follow each other mostly have the same second. */
  private transient long lastSecond;

  private transient String lastBucket;

  TimeBuckets(String pattern, ZoneId zone, LongExtractor<T> time) {
    this.pattern = pattern;
    this.zone = zone;
    this.time = time;
    try {
      formatter();
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER, "'" + pattern + "' is no pattern of times: " + e.getMessage() + ".", e);
    }
  }

  private DateTimeFormatter formatter() {
    if (formatter == null) {
      formatter = DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(zone);
    }
    return formatter;
  }

  @Override
  public String bucketOf(T record, long processingTime) throws Exception {
    long millis = time == null ? processingTime : time.extract(record);
    long second = Math.floorDiv(millis, 1000);
    if (lastBucket == null || second != lastSecond) {
      lastBucket = formatter().format(Instant.ofEpochSecond(second));
      lastSecond = second;
    }
    return lastBucket;
  }
}
