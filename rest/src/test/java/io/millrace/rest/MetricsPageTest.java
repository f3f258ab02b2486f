package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.NamedMetrics;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.task.NamedTaskMetrics;
import io.millrace.task.TaskRates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of metrics names those that exist, and no others. */
class MetricsPageTest {
  @Test
  @Behaviour("I3: each metric is documented")
  void pageHasAllMetrics() throws Exception {
    Set<String> exist = new TreeSet<>();
    exist.addAll(NamedTaskMetrics.of(Optional.empty(), TaskRates.NONE).keySet());
    exist.addAll(
        NamedMetrics.of(
                SampleJobs.details(SampleJobs.RUNNING, JobStatus.RUNNING),
                CheckpointStatistics.NONE,
                0)
            .keySet());
    exist.addAll(NamedMetrics.ofCluster(List.of(), List.of()).keySet());
    exist.addAll(ProcessMetrics.NONE.namedOfTaskManager().keySet());
    exist.add("lastCheckpointExternalPath");

    String page = Files.readString(Path.of("../docs/metrics.md"));
    Set<String> named = new TreeSet<>();
    page.substring(page.indexOf("## Metrics of tasks"))
        .lines()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(0, line.indexOf("|", 1)))
        .forEach(
            cell ->
                Pattern.compile("`([^`]+)`")
                    .matcher(cell)
                    .results()
                    .forEach(name -> named.add(name.group(1))));
    assertThat(named).isEqualTo(exist);
  }
}
