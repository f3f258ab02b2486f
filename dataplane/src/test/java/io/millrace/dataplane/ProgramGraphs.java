package io.millrace.dataplane;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** Job graphs of programs that are written against the API. */
final class ProgramGraphs {
  private ProgramGraphs() {}

  static JobGraph graph(Consumer<StreamEnvironment> program) {
    return graph(Configuration.EMPTY, program);
  }

  /** What {@code main} would submit. One at a time, because a program's context is global. */
  static synchronized JobGraph graph(
      Configuration configuration, Consumer<StreamEnvironment> program) {
    List<JobGraph> submitted = new ArrayList<>();
    ProgramContext context =
        new ProgramContext(
            translated -> {
              submitted.add(Graphs.jobGraph(translated, JobId.random(ThreadLocalRandom.current())));
              return null;
            },
            configuration);
    try {
      context.during(
          () -> {
            StreamEnvironment env = StreamEnvironment.current();
            program.accept(env);
            return env.executeAsync("test");
          });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return submitted.get(0);
  }
}
