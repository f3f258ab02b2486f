package io.millrace.sim;

import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The text form of the positions of splits, in the state of simulated tasks. */
final class SimPositions {
  private SimPositions() {}

  static String text(SimDataflow.Shard shard) {
    StringBuilder text = new StringBuilder();
    text.append(shard.number()).append('|').append(text(shard.counted()));
    for (SimDataflow.Committable committable : shard.pending()) {
      text.append('|').append(committable.checkpoint());
      text.append('/').append(text(committable.from()));
      text.append('/').append(text(committable.to()));
    }
    return text.toString();
  }

  static String text(NavigableMap<String, Long> positions) {
    return positions.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(","));
  }

  static NavigableMap<String, Long> parse(String text) {
    NavigableMap<String, Long> positions = new TreeMap<>();
    if (!text.isEmpty()) {
      for (String entry : text.split(",")) {
        int equals = entry.lastIndexOf('=');
        positions.put(entry.substring(0, equals), Long.parseLong(entry.substring(equals + 1)));
      }
    }
    return positions;
  }
}
