package io.millrace.sim.cluster;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.check.Fact;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Submissions that meet the clean-up of another job. */
final class SubmissionFaults {
  private static final String RESULTS = "results/";
  private static final String JOBS = "jobs/";

  /** A submission may fail before it stores anything. */
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final SimCluster cluster;
  private final FaultInjector injector;
  private final TriggeredFaults armed;

  /** The submissions whose write will have an unclear outcome. */
  private final Map<JobId, Fault.SubmissionAtCleanUp> unclear = new LinkedHashMap<>();

  /** The JobManagers that are about to store such a submission. */
  private final Map<JobId, SimJobManager> storing = new LinkedHashMap<>();

  SubmissionFaults(SimCluster cluster, FaultInjector injector, TriggeredFaults armed) {
    this.cluster = cluster;
    this.injector = injector;
    this.armed = armed;
  }

  boolean isActive() {
    return !unclear.isEmpty() || !storing.isEmpty();
  }

  void stored(Fact.Stored stored) {
    if (stored.value().isEmpty()) {
      return;
    }
    if (stored.key().startsWith(RESULTS)) {
      JobId ended = JobId.parse(stored.key().substring(RESULTS.length()));
      armed
          .triggered(Fault.SubmissionAtCleanUp.class, fault -> shareJars(ended, fault.job()))
          .ifPresent(fault -> injector.later(fault.delay(), () -> submit(fault)));
    } else if (stored.key().startsWith(JOBS)) {
      SimJobManager manager = storing.remove(JobId.parse(stored.key().substring(JOBS.length())));
      if (manager != null) {
        injector.later(Duration.ZERO, () -> manager.failureMode(SimStore.FailureMode.NONE));
      }
    }
  }

  private boolean shareJars(JobId ended, int submitted) {
    List<Bytes> jars = cluster.scenario().jobs().get(submitted).jars();
    return cluster.scenario().jobs().stream()
        .filter(job -> job.id().equals(ended))
        .anyMatch(job -> job.jars().stream().anyMatch(jars::contains));
  }

  private void submit(Fault.SubmissionAtCleanUp fault) {
    SimJob job = cluster.scenario().jobs().get(fault.job());
    injector.affected(fault);
    if (fault.unclear()) {
      unclear.put(job.id(), fault);
    }
    cluster.client().submit(job);
  }

  void arrived(SubmitJob submission, SimProcess jobManager) {
    Fault.SubmissionAtCleanUp fault = unclear.remove(submission.job());
    if (fault != null) {
      cluster
          .manager(jobManager.name())
          .ifPresent(
              manager -> {
                storing.put(submission.job(), manager);
                manager.failureMode(SimStore.FailureMode.OUTCOME_UNKNOWN);
                injector.lasts(
                    fault,
                    LONGEST,
                    () -> {
                      storing.remove(submission.job());
                      manager.failureMode(SimStore.FailureMode.NONE);
                    });
              });
    }
  }
}
