package io.millrace.control.dispatcher;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import java.util.List;
import java.util.stream.Collectors;

/** What a job says about the sizes of its slots. */
final class ResourceDeclarationCheck {
  /** A job may have hundreds of vertices; these are enough to find the groups by. */
  private static final int NAMED = 5;

  private ResourceDeclarationCheck() {}

  /**
   * Refuses a job that declares resources for some of its vertices only: nobody could say how large
   * the other slots must be beside them.
   */
  static void check(JobGraph graph) {
    List<JobVertex> declaring =
        graph.vertices().stream()
            .filter(vertex -> !graph.resourcesOf(vertex).isUnspecified())
            .toList();
    if (declaring.isEmpty() || declaring.size() == graph.vertices().size()) {
      return;
    }
    List<JobVertex> silent =
        graph.vertices().stream()
            .filter(vertex -> graph.resourcesOf(vertex).isUnspecified())
            .toList();
    throw new MillraceException(
        ErrorKind.USER,
        "Job "
            + graph.id()
            + " declares resources for "
            + names(declaring)
            + " but not for "
            + names(silent)
            + ". Declare them for all slot sharing groups or for none.");
  }

  private static String names(List<JobVertex> vertices) {
    String named =
        vertices.stream()
            .limit(NAMED)
            .map(vertex -> "'" + vertex.name() + "' (group " + vertex.slotSharingGroup() + ")")
            .collect(Collectors.joining(", "));
    int more = vertices.size() - NAMED;
    return more > 0 ? named + " and " + more + " more" : named;
  }
}
