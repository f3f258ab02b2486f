package io.millrace.client.testing;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.execution.ProgramContext;
import io.millrace.core.config.Configuration;

/** Submits small jobs in the way that a program does. */
public final class TestJobs {
  private TestJobs() {}

  /** Submits a job that prints two numbers. */
  public static JobClient submit(JobExecutor executor, String name) {
    try {
      return new ProgramContext(executor, Configuration.EMPTY)
          .during(
              () -> {
                StreamEnvironment env = StreamEnvironment.current();
                env.fromElements(1, 2).print();
                return env.executeAsync(name);
              });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
