package io.millrace.api.execution;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The executor and the configuration of the programs of this process.
 *
 * <p>One context at a time is bound for the whole process, not per thread, because {@code main} may
 * build its jobs in several threads.
 *
 * <pre>{@code
 * // Runs a part of a program with another configuration.
 * ProgramContext context = ProgramContext.current();
 * Configuration configuration = context.configuration().with("parallelism.default", "2");
 * new ProgramContext(context.executor(), configuration)
 *     .during(
 *         () -> {
 *           StreamEnvironment env = StreamEnvironment.current();
 *           env.readText("words.txt").print();
 *           return env.execute("lines");
 *         });
 * }</pre>
 */
public record ProgramContext(JobExecutor executor, Configuration configuration) {
  private static final AtomicReference<ProgramContext> BOUND = new AtomicReference<>();

  public ProgramContext {
    Objects.requireNonNull(executor);
    Objects.requireNonNull(configuration);
  }

  /** Runs a program's {@code main} with this context bound. */
  public <T> T during(Callable<T> main) throws Exception {
    if (!BOUND.compareAndSet(null, this)) {
      throw new MillraceException(
          ErrorKind.BUG,
          "A program is already running in this process, and the two could not tell their"
              + " environments apart. Run one main after the other.");
    }
    try {
      return main.call();
    } finally {
      BOUND.set(null);
    }
  }

  /** The bound context, else one with the executor on the class path. */
  public static ProgramContext current() {
    ProgramContext bound = BOUND.get();
    if (bound != null) {
      return bound;
    }
    JobExecutor executor = onClassPath();
    return new ProgramContext(executor, executor.configuration());
  }

  private static JobExecutor onClassPath() {
    List<JobExecutor> found = new ArrayList<>();
    ServiceLoader.load(JobExecutor.class).forEach(found::add);
    found.sort(
        Comparator.comparingInt(JobExecutor::priority)
            .reversed()
            .thenComparing(executor -> executor.getClass().getName()));
    if (found.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Nothing on the class path can run a job. Start the program with `millrace run`, or add"
              + " millrace-cluster to the class path to run it on an embedded cluster.");
    }
    if (found.size() > 1 && found.get(0).priority() == found.get(1).priority()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Both "
              + found.get(0).getClass().getName()
              + " and "
              + found.get(1).getClass().getName()
              + " on the class path want to run the job, with equal priority. Remove one of them.");
    }
    return found.get(0);
  }
}
