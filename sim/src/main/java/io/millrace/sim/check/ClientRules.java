package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.ClientReply;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Invariants of jobs that end with their clients. */
final class ClientRules {
  private ClientRules() {}

  /**
   * A JobManager decides by the heartbeats that it receives: it must not take a client for dead
   * that sent one within the client timeout of the job. If all processes are reachable, the
   * heartbeats of all living clients arrive.
   */
  static final class AttachedJobsEndWithTheirClient extends Invariant {
    /**
     * When a process last received a heartbeat of the client of a job; frozen time does not count.
     */
    private final Map<String, Long> heard = new LinkedHashMap<>();

    AttachedJobsEndWithTheirClient() {
      super(
          "A job that ends with its client ends soon after the client, and not while the client"
              + " lives.");
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof ClientHeartbeat heartbeat
          && answered.answer() instanceof Envelope.Reply reply
          && ((ClientReply) reply.message()).expected()) {
        heard.put(answered.by().name() + heartbeat.job(), runningNanos(answered.by()));
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ClientLost) {
        lost(decided.process(), decided.entry().job().orElseThrow());
      }
    }

    private long runningNanos(SimProcess process) {
      return world().nanos() - process.frozenNanos();
    }

    private void lost(SimProcess process, JobId job) {
      Optional<Duration> timeout = plan(job).graph().clientTimeout();
      if (timeout.isEmpty()) {
        throw broken("Job " + job + " is cancelled, although it has no client timeout");
      }
      Long last = heard.get(process.name() + job);
      // A Dispatcher notices a pause of its process at its next check, of which there are eight per
      // timeout, and cannot tell how long before that check the pause began.
      long tolerance = timeout.get().toNanos() / 4;
      if (last != null && runningNanos(process) - last < timeout.get().toNanos() - tolerance) {
        throw broken(
            process
                + " has received a heartbeat of the client of job "
                + job
                + " "
                + Duration.ofNanos(runningNanos(process) - last)
                + " ago, and takes the client for dead after "
                + timeout.get());
      }
      if (world().isReachable() && !isDead(job)) {
        throw broken("The client of job " + job + " lives and is reachable");
      }
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      for (SimJob job : world().scenario().jobs()) {
        JobDetails details = report.jobs().get(job.id());
        if (details != null
            && job.graph().clientTimeout().isPresent()
            && isDead(job.id())
            && !details.status().isTerminal()
            && details.status() != JobStatus.CANCELLING
            && details.status() != JobStatus.FAILING) {
          throw broken(
              "The client of job " + job.id() + " is dead, and the job is " + details.status());
        }
      }
    }

    private boolean isDead(JobId job) {
      return world().scenario().acts().stream()
          .anyMatch(
              act ->
                  act instanceof ClientAction.ClientDies dies
                      && dies.at().toNanos() <= world().nanos()
                      && world().scenario().jobs().get(dies.job()).id().equals(job));
    }

    private SimJob plan(JobId id) {
      return world().scenario().jobs().stream()
          .filter(job -> job.id().equals(id))
          .findFirst()
          .orElseThrow();
    }
  }
}
