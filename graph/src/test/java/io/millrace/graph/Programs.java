package io.millrace.graph;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.program.Program;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Programs written with the API, caught before they run. */
final class Programs {
  static final JobId JOB = new JobId(new Id128(1, 2));

  private Programs() {}

  static Program program(Consumer<StreamEnvironment> main) {
    return program(Configuration.EMPTY, main);
  }

  static Program program(Configuration configuration, Consumer<StreamEnvironment> main) {
    AtomicReference<Program> caught = new AtomicReference<>();
    ProgramContext context =
        new ProgramContext(
            program -> {
              caught.set(program);
              throw new Caught();
            },
            configuration);
    try {
      context.during(
          () -> {
            StreamEnvironment env = StreamEnvironment.current();
            main.accept(env);
            return env.executeAsync("test");
          });
    } catch (Caught e) {
      return caught.get();
    } catch (Exception e) {
      throw new AssertionError("The program failed before it was executed", e);
    }
    throw new AssertionError("The program was not executed");
  }

  static JobGraph jobGraph(Consumer<StreamEnvironment> main) {
    return Graphs.jobGraph(program(main), JOB);
  }

  private static final class Caught extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
