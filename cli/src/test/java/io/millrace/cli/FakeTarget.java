package io.millrace.cli;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.ClusterClient;
import io.millrace.client.Target;
import io.millrace.client.testing.FakeClusterClient;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobGraph;

/**
 * A target whose jobs end at once, as the name of the job says: {@code fails}, {@code is
 * cancelled}; others finish. A job with the name {@code is refused} is not accepted.
 */
public final class FakeTarget implements Target {
  private static final Failure FAILURE =
      new Failure(
          ErrorKind.USER,
          "t",
          "boom",
          """
          t: boom
          \tat java.base/java.lang.Integer.parseInt(Integer.java:1)
          \tat some.Place.map(Place.java:12)
          \tat io.millrace.dataplane.Stages$Map.push(Stages.java:5)
          """);

  private static volatile FakeClusterClient last = new FakeClusterClient();

  /** The cluster of the last run. */
  public static FakeClusterClient last() {
    return last;
  }

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
    return cluster();
  }

  static FakeClusterClient cluster() {
    last =
        new FakeClusterClient()
            .onSubmit(FakeTarget::accept)
            .outcome(FakeTarget::outcome)
            .failure(FAILURE);
    return last;
  }

  private static void accept(JobGraph graph) {
    if (graph.name().equals("is refused")) {
      throw new MillraceException(ErrorKind.RESOURCE, "No room for this job.");
    }
  }

  private static JobStatus outcome(JobGraph graph) {
    return switch (graph.name()) {
      case "fails" -> JobStatus.FAILED;
      case "is cancelled" -> JobStatus.CANCELED;
      default -> JobStatus.FINISHED;
    };
  }
}
