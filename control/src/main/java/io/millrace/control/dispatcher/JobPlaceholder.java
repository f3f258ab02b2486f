package io.millrace.control.dispatcher;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.control.jobmaster.JobTermination;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobDetails.StatusHistory;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.JobSlots;
import io.millrace.task.TaskState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job without a JobMaster: its JobMaster has not started, is being replaced, or could not be
 * started.
 *
 * @param endedAt -1 if the job has not ended
 */
record JobPlaceholder(
    JobGraph graph, JobStatus status, long startedAt, long endedAt, Optional<Failure> failure) {

  /** Details of an ended job of which only the result is known. */
  static JobDetails details(EndedJob ended) {
    JobOverview overview = ended.overview();
    return details(
        ended,
        new JobGraph(
            ended.job(),
            overview.name(),
            overview.type(),
            List.of(),
            List.of(),
            List.of(),
            Configuration.EMPTY));
  }

  static JobDetails details(EndedJob ended, JobGraph graph) {
    JobOverview overview = ended.overview();
    return new JobPlaceholder(
            graph,
            overview.status(),
            overview.startedAt(),
            overview.endedAt(),
            ended.result().failure())
        .details();
  }

  static JobPlaceholder initializing(JobGraph graph, long startedAt) {
    return new JobPlaceholder(graph, JobStatus.INITIALIZING, startedAt, -1, Optional.empty());
  }

  JobOverview overview() {
    Map<TaskState, Integer> tasks = new LinkedHashMap<>();
    for (TaskState state : TaskState.values()) {
      tasks.put(state, 0);
    }
    return new JobOverview(
        graph.id(),
        graph.name(),
        graph.type(),
        status,
        startedAt,
        endedAt,
        Math.max(startedAt, endedAt),
        tasks,
        Optional.empty());
  }

  JobDetails details() {
    Map<JobStatus, Long> timestamps = new LinkedHashMap<>();
    timestamps.put(JobStatus.INITIALIZING, startedAt);
    if (endedAt >= 0) {
      timestamps.put(status, endedAt);
    }
    List<VertexDetails> vertices =
        graph.vertices().stream().map(vertex -> new VertexDetails(vertex.id(), List.of())).toList();
    List<RecordedFailure> failures =
        failure.stream()
            .map(cause -> new RecordedFailure(cause, endedAt, "", Optional.empty()))
            .toList();
    return new JobDetails(
        graph,
        new StatusHistory(status, startedAt, endedAt, timestamps),
        JobSlots.NONE,
        Optional.empty(),
        0,
        vertices,
        failures);
  }

  JobTermination end(CollectedRecordsBuffer collected) {
    return new JobTermination(
        new JobResult(graph.id(), status, endedAt - startedAt, failure),
        details(),
        overview(),
        collected);
  }
}
