package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerReleased;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Rules of workers that a driver starts. */
class WorkerStartRulesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final WorkerSpec SPEC = new WorkerSpec(new ResourceProfile(1, 0, 0, 0, 0), 1);

  private static RuleTrace workerEndsBeforeItRegisters() {
    RuleTrace trace = new RuleTrace(new WorkerMinimumRules.FailedStartsDelayRequests());
    trace.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 1);
    trace.requestsWorker(SPEC);
    trace.decidesOn(JOB_MANAGER, WORKER, new WorkerStarted());
    trace.reportsWorkerEnd(JOB_MANAGER, WORKER);
    return trace;
  }

  @Test
  void failedStartDelaysTheNextRequest() {
    RuleTrace trace = workerEndsBeforeItRegisters();
    trace.passes(SECOND);
    trace.isBrokenBy(() -> trace.requestsWorker(SPEC)).hasMessageContaining("1000 ms");
    trace.passes(SECOND.multipliedBy(2));
    trace.requestsWorker(SPEC);
  }

  /** A ResourceManager that was frozen has released it before it reads the report. */
  @Test
  void endOfAReleasedWorkerIsNoFailedStart() {
    RuleTrace trace = workerEndsBeforeItRegisters();
    trace.decidesOn(JOB_MANAGER, WORKER, new WorkerReleased(new WorkerIdle(SECOND)));
    trace.passes(SECOND);
    trace.requestsWorker(SPEC);
  }
}
