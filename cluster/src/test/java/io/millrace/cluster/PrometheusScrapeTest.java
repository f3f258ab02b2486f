package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.config.Configuration;
import io.millrace.core.metric.MetricReporters;
import io.millrace.core.metric.MetricSource;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Prometheus scrapes from a JobManager and a TaskManager with a running job. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PrometheusScrapeTest {
  private static final Path DASHBOARD = Path.of("../docs/grafana/millrace.json");

  private static String scrape(MetricSource source) throws Exception {
    Configuration configuration = Configuration.EMPTY.with("metrics.reporter.prom.port", "0");
    try (MetricReporters reporters = MetricReporters.start(configuration, Plugins.NONE, source)) {
      String url = reporters.toString().replaceAll(".*\\[(.*)\\]", "$1");
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
          .body();
    }
  }

  private static String scrapeOfRunningJob() throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      ProgramMetricsTest.submit(cluster);
      String worker = "";
      while (!worker.contains("_seen{")) {
        LockSupport.parkNanos(10_000_000);
        worker = scrape(cluster.taskManagerMetrics());
      }
      try (JobManagerMetrics jobManager = cluster.jobManagerMetrics()) {
        return worker + scrape(jobManager);
      }
    }
  }

  @Test
  @Behaviour("I3: each process has an endpoint for Prometheus with the metrics of its tasks")
  void scrapeHasTasksFunctionsJobsAndProcesses() throws Exception {
    String scrape = scrapeOfRunningJob();
    assertThat(scrape)
        .containsPattern(
            "flink_taskmanager_job_task_operator_test_seen\\{.*job_name=\"metrics\".*"
                + "operator_name=\"count\".*subtask_index=\"0\".*\\} \\d+")
        .containsPattern("flink_taskmanager_job_task_busyTimeMsPerSecond\\{")
        .containsPattern("flink_jobmanager_numRunningJobs\\{host=\"localhost\"\\} 1.0")
        .containsPattern("flink_jobmanager_job_numRestarts\\{.*\\} 0.0");
  }

  @Test
  @Behaviour("I3: the dashboard asks for metrics that exist")
  void dashboardAsksForMetricsThatExist() throws Exception {
    Set<String> scraped =
        scrapeOfRunningJob()
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("[{ ]", 2)[0])
            .collect(Collectors.toCollection(TreeSet::new));
    JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
    Set<String> asked = new TreeSet<>();
    dashboard
        .findValuesAsText("expr")
        .forEach(
            expr ->
                Pattern.compile("flink_\\w+")
                    .matcher(expr)
                    .results()
                    .forEach(name -> asked.add(name.group())));
    assertThat(asked).hasSizeGreaterThan(15);
    assertThat(scraped).containsAll(asked);
  }
}
