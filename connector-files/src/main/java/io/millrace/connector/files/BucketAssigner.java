package io.millrace.connector.files;

import io.millrace.api.function.LongExtractor;
import java.io.Serializable;
import java.time.ZoneId;

/**
 * Says into which directory below that of the sink a record goes. A name of several parts, as
 * {@code year=2026/month=11}, stands for nested directories.
 *
 * <pre>{@code
 * BucketAssigner<Order> byCustomer = (order, processingTime) -> "customer=" + order.customer();
 * orders.sinkTo(
 *     FileSink.to("/data/orders", LineFormat.of(JsonFormat.of(Order.class)))
 *         .bucketBy(byCustomer));
 * }</pre>
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface BucketAssigner<T> extends Serializable {
  /**
   * The bucket of a record; empty for the directory of the sink itself.
   *
   * @param processingTime milliseconds since 1970
   */
  String bucketOf(T record, long processingTime) throws Exception;

  /**
   * By the time at which a record is written.
   *
   * @param pattern of {@link java.time.format.DateTimeFormatter}, as {@code yyyy-MM-dd/HH}
   */
  static <T> BucketAssigner<T> byProcessingTime(String pattern, ZoneId zone) {
    return new TimeBuckets<>(pattern, zone, null);
  }

  /**
   * By a time of the record itself.
   *
   * @param time milliseconds since 1970
   * @param pattern of {@link java.time.format.DateTimeFormatter}, as {@code yyyy-MM-dd/HH}
   */
  static <T> BucketAssigner<T> byTime(LongExtractor<T> time, String pattern, ZoneId zone) {
    return new TimeBuckets<>(pattern, zone, time);
  }
}
