package io.millrace.cli;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.ClusterClient;
import io.millrace.client.Target;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A target whose jobs end at once, the way the job's name says: {@code fails}, {@code is
 * cancelled}; others finish.
 */
public final class FakeTarget implements Target {
  @Override
  public String name() {
    return "fake";
  }

  @Override
  public boolean outlivesClient() {
    return false;
  }

  @Override
  public ClusterClient open(Configuration configuration) {
    return new FakeCluster();
  }

  static final class FakeCluster implements ClusterClient {
    private volatile String name = "";

    @Override
    public String address() {
      return "fake";
    }

    @Override
    public void submit(JobGraph graph, List<Path> jars) {
      if (graph.name().equals("is refused")) {
        throw new MillraceException(ErrorKind.RESOURCE, "No room for this job.");
      }
      name = graph.name();
    }

    @Override
    public List<JobOverview> jobs() {
      return List.of();
    }

    @Override
    public Optional<JobResult> awaitResult(JobId job, Duration patience) {
      return Optional.of(
          switch (name) {
            case "fails" ->
                new JobResult(
                    job,
                    JobStatus.FAILED,
                    5,
                    Optional.of(
                        new Failure(
                            ErrorKind.USER,
                            "t",
                            "boom",
                            """
                            t: boom
                            \tat java.base/java.lang.Integer.parseInt(Integer.java:1)
                            \tat some.Place.map(Place.java:12)
                            \tat io.millrace.dataplane.Stages$Map.push(Stages.java:5)
                            """)));
            case "is cancelled" -> new JobResult(job, JobStatus.CANCELED, 5, Optional.empty());
            default -> new JobResult(job, JobStatus.FINISHED, 1234, Optional.empty());
          });
    }

    @Override
    public CancelOutcome cancel(JobId job) {
      return CancelOutcome.ACCEPTED;
    }

    @Override
    public CollectedPage collected(JobId job, String collectName, long next, Duration patience) {
      return new CollectedPage(true, next, List.of(), true);
    }

    @Override
    public void close() {}
  }
}
