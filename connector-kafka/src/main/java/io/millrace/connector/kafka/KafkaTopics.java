package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The topics that a source reads: by name, or all whose names match a pattern.
 *
 * <pre>{@code
 * KafkaTopics two = KafkaTopics.named("orders", "payments");
 * KafkaTopics ofAllRegions = KafkaTopics.matching("orders-[a-z]+");
 * KafkaSource<String> source = KafkaSource.of("host:9092", ofAllRegions, new StringFormat());
 * }</pre>
 */
public final class KafkaTopics implements Serializable {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> names;

  /** Null for topics by name. */
  private final Pattern pattern;

  private KafkaTopics(List<String> names, Pattern pattern) {
    this.names = new ArrayList<>(names);
    this.pattern = pattern;
  }

  /** These topics, all of which must exist when the job starts. */
  public static KafkaTopics named(String... names) {
    List<String> all = List.of(names);
    if (all.isEmpty() || all.stream().anyMatch(String::isBlank)) {
      throw new MillraceException(
          ErrorKind.USER, "A Kafka source reads one topic or more, each with a name.");
    }
    return new KafkaTopics(all.stream().distinct().toList(), null);
  }

  /**
   * All topics whose whole names match this regular expression, but for Kafka's own. Topics that
   * are created later count if the source looks for partitions while it runs.
   */
  public static KafkaTopics matching(String pattern) {
    try {
      return new KafkaTopics(List.of(), Pattern.compile(pattern));
    } catch (PatternSyntaxException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The pattern of topics '" + pattern + "' is no regular expression: " + e.getMessage(),
          e);
    }
  }

  boolean isPattern() {
    return pattern != null;
  }

  List<String> names() {
    return List.copyOf(names);
  }

  boolean matches(String topic) {
    return pattern == null ? names.contains(topic) : pattern.matcher(topic).matches();
  }

  @Override
  public String toString() {
    return pattern == null
        ? (names.size() == 1 ? "topic '" + names.get(0) + "'" : "topics " + names)
        : "topics that match '" + pattern + "'";
  }
}
