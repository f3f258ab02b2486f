package io.millrace.cli.run;

import io.millrace.api.execution.JobStatus;
import io.millrace.cli.common.SingleLine;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.text.ReasonText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What jobs wait for, without what was said before: a reason changes with each retry, and most of
 * its sentences stay. A job that no longer waits, or has another status, begins anew.
 */
final class WaitingReport {
  /** The bound of remembered sentences of a job. */
  private static final int MAX_SENTENCES = 100;

  private final Map<JobId, Said> said = new TreeMap<>();

  private record Said(JobStatus status, Set<String> sentences) {}

  /** The line about a job; empty if it would say nothing new. */
  Optional<String> line(JobOverview job) {
    String prefix = "Job " + job.id() + " is " + job.status();
    if (job.waitingFor().isEmpty()) {
      said.remove(job.id());
      return Optional.of(prefix);
    }
    Said known = said.get(job.id());
    if (known == null
        || known.status() != job.status()
        || known.sentences().size() > MAX_SENTENCES) {
      known = new Said(job.status(), new LinkedHashSet<>());
      said.put(job.id(), known);
    }
    boolean first = known.sentences().isEmpty();
    String text = SingleLine.of(ReasonText.of(job.waitingFor().get()));
    List<String> fresh =
        List.of(text.split("(?<=[.!?…]) ")).stream().filter(known.sentences()::add).toList();
    return fresh.isEmpty()
        ? Optional.empty()
        : Optional.of(
            prefix + (first ? ", waiting: " : ", still waiting: ") + String.join(" ", fresh));
  }
}
