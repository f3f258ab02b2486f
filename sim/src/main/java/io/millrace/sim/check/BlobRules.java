package io.millrace.sim.check;

import io.millrace.graph.JarFile;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimWorkerBlobs;
import io.millrace.sim.scenario.SimJob;

/** Invariants of the blobs that workers fetch. */
final class BlobRules {
  private BlobRules() {}

  /** Checks when a task is deployed, and twice a second. */
  static final class TasksHaveTheirJars extends Invariant {
    private long next;

    TasksHaveTheirJars() {
      super(
          "While a task runs, its worker has the undamaged jars of its job; when all jobs have"
              + " ended, no worker has any.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (worker.host() == deployed.host()) {
          check(worker, deployed.task());
        }
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() >= next) {
        next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
        for (SimulatedWorld.Worker worker : world().workers()) {
          worker.host().running().forEach(task -> check(worker, task));
        }
      }
    }

    private void check(SimulatedWorld.Worker worker, SimTaskHost.Task task) {
      SimWorkerBlobs blobs = worker.blobs();
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(task.job())) {
          for (JarFile jar : job.graph().jars()) {
            if (!blobs.contains(jar.blob())) {
              throw broken(worker.name() + " runs " + task.spec() + " without " + jar.blob());
            }
            if (!blobs.isValid(jar.blob())) {
              throw broken(worker.name() + " runs " + task.spec() + " with a damaged jar");
            }
          }
        }
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (!worker.blobs().isEmpty()) {
          throw broken(worker.name() + " has blobs, and all jobs have ended");
        }
      }
    }
  }
}
