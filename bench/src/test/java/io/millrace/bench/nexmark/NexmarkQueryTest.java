package io.millrace.bench.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.sink.TextFileSink;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkGenerator;
import io.millrace.bench.load.nexmark.NexmarkResults.AuctionStatistics;
import io.millrace.bench.load.nexmark.NexmarkResults.BidStatistics;
import io.millrace.bench.load.nexmark.NexmarkResults.BidderWindow;
import io.millrace.bench.load.nexmark.NexmarkResults.CategoryAverage;
import io.millrace.bench.load.nexmark.NexmarkResults.TopBids;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NexmarkQueryTest {
  private static final long SEED =
      Long.getLong("seed", RandomGenerator.getDefault().nextLong(1_000_000));
  private static final int EVENTS = 5000;

  private static EmbeddedCluster cluster;

  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    cluster = new EmbeddedCluster(Configuration.EMPTY);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource
  @Behaviour("H1: the queries of Nexmark give the results of a naive model in memory")
  void hasTheResultsOfTheModel(NexmarkQuery query) throws Exception {
    NexmarkSettings settings = new NexmarkSettings(SEED, microsPerEvent(query), events(query));
    List<Object> results = new ArrayList<>();
    run(env -> query.addTo(env, settings).collectAs("results"))
        .collected("results")
        .forEachRemaining(results::add);

    List<?> expected = new NexmarkModel(events(settings)).results(query);
    assertThat(expected).isNotEmpty();
    assertThat(texts(lastOfEachGroup(query, results)))
        .as("%s with -Dseed=%d", query, SEED)
        .containsExactlyInAnyOrderElementsOf(texts(expected));
  }

  @Test
  @SuppressWarnings("unchecked") // The lines of query 10.
  void logsBidsToFiles() throws Exception {
    NexmarkSettings settings = new NexmarkSettings(SEED, 20_000, EVENTS);
    String path = directory.resolve("log").toString();
    run(env ->
            ((DataStream<String>) NexmarkQuery.Q10.addTo(env, settings))
                .sinkTo(TextFileSink.to(path)))
        .result()
        .get();

    List<String> lines = new ArrayList<>();
    try (Stream<Path> parts = Files.list(Path.of(path))) {
      for (Path part : parts.toList()) {
        lines.addAll(Files.readAllLines(part));
      }
    }
    assertThat(lines)
        .as("-Dseed=%d", SEED)
        .containsExactlyInAnyOrderElementsOf(
            texts(new NexmarkModel(events(settings)).results(NexmarkQuery.Q10)));
  }

  private static JobClient run(Consumer<StreamEnvironment> program) throws Exception {
    ClusterJobExecutor executor =
        new ClusterJobExecutor(
            cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
    return new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(2);
              program.accept(env);
              return env.executeAsync("query");
            });
  }

  /** Windows need some events, those by day need more than a day, and state is kept for a while. */
  private static long microsPerEvent(NexmarkQuery query) {
    return switch (query) {
      case Q3, Q20 -> 10;
      case Q14, Q15, Q16, Q17 -> 20_000_000;
      default -> 20_000;
    };
  }

  /** Few auctions have a seller of query 3. */
  private static int events(NexmarkQuery query) {
    return query == NexmarkQuery.Q3 ? 4 * EVENTS : EVENTS;
  }

  private static List<NexmarkEvent> events(NexmarkSettings settings) {
    NexmarkGenerator generator = new NexmarkGenerator(settings, 0, 1);
    List<NexmarkEvent> events = new ArrayList<>();
    while (generator.hasNext()) {
      events.add(generator.next());
    }
    return events;
  }

  private static List<String> texts(Collection<?> results) {
    return results.stream().map(Object::toString).toList();
  }

  private static Collection<?> lastOfEachGroup(NexmarkQuery query, List<Object> results) {
    Map<Object, Object> last = new LinkedHashMap<>();
    for (Object result : results) {
      switch (query) {
        case Q4 -> last.put(((CategoryAverage) result).category(), result);
        case Q12 -> {
          BidderWindow window = (BidderWindow) result;
          BidderWindow before = (BidderWindow) last.get(window.bidder());
          long bids = window.bids() + (before == null ? 0 : before.bids());
          last.put(window.bidder(), new BidderWindow(window.bidder(), bids, 0, 0));
        }
        case Q15, Q16 -> last.put(((BidStatistics) result).group(), result);
        case Q17 -> {
          AuctionStatistics statistics = (AuctionStatistics) result;
          last.put(statistics.auction() + " " + statistics.day(), result);
        }
        case Q18 -> last.put(((Bid) result).bidder + " " + ((Bid) result).auction, result);
        case Q19 -> last.put(((TopBids) result).auction(), result);
        default -> {
          return results;
        }
      }
    }
    return last.values();
  }
}
