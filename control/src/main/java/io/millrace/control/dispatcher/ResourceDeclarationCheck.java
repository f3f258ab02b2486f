package io.millrace.control.dispatcher;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import java.util.List;
import java.util.stream.Collectors;

/** Checks the declared resources of a job. */
final class ResourceDeclarationCheck {
  /** The number of vertices that the error names: a job may have hundreds. */
  private static final int MAX_NAMED = 5;

  private ResourceDeclarationCheck() {}

  /**
   * Rejects a job that declares resources for some of its vertices only: the size of the other
   * slots would be undefined.
   */
  static void check(JobGraph graph) {
    List<JobVertex> declaring =
        graph.vertices().stream()
            .filter(vertex -> !graph.resourcesOf(vertex).isUnspecified())
            .toList();
    if (declaring.isEmpty() || declaring.size() == graph.vertices().size()) {
      return;
    }
    List<JobVertex> notDeclaring =
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
            + names(notDeclaring)
            + ". Declare them for all slot sharing groups or for none.");
  }

  private static String names(List<JobVertex> vertices) {
    String named =
        vertices.stream()
            .limit(MAX_NAMED)
            .map(vertex -> "'" + vertex.name() + "' (group " + vertex.slotSharingGroup() + ")")
            .collect(Collectors.joining(", "));
    int more = vertices.size() - MAX_NAMED;
    return more > 0 ? named + " and " + more + " more" : named;
  }
}
