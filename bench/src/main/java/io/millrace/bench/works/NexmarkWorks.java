package io.millrace.bench.works;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Queries of Nexmark, measured in their steady state. Before an engine is measured for the first
 * time, it computes the results of a bounded stream; engines with different results are not
 * compared.
 */
final class NexmarkWorks {
  private static final String FLINK = "io.millrace.bench.peers.flink.Nexmark";

  /** 25 seconds of event time: two windows of 10 s and more. */
  private static final String CHECKED_EVENTS = "2500000";

  private static final Map<String, String> RESULTS = new HashMap<>();
  private static final Set<String> CHECKED = new HashSet<>();

  private NexmarkWorks() {}

  static Map<String, Double> run(String query, String contestant, Engines engines)
      throws IOException, InterruptedException {
    if (CHECKED.add(query + " " + contestant)) {
      checkResults(query, contestant, engines);
    }
    return SteadyStateWorks.checked(
        start(contestant, engines, query).numbers(), (in, out) -> out > 0);
  }

  private static void checkResults(String query, String contestant, Engines engines)
      throws IOException, InterruptedException {
    Map<String, Double> numbers = start(contestant, engines, query, CHECKED_EVENTS).numbers();
    String results = numbers.get("results") + " results, digest " + numbers.get("digest");
    String others = RESULTS.putIfAbsent(query, results);
    if (others != null && !others.equals(results)) {
      throw new IOException(
          "Results of " + query + " differ: " + contestant + " has " + results + ", not " + others);
    }
  }

  private static Engines.Timed start(String contestant, Engines engines, String... arguments)
      throws IOException, InterruptedException {
    List<String> jvm = SteadyStateWorks.jvm(engines);
    return contestant.equals("flink")
        ? engines.flink(jvm, FLINK, arguments)
        : engines.ours(jvm, NexmarkRun.class.getName(), arguments);
  }
}
