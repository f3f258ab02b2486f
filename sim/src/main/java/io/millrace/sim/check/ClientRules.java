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

/** What holds of jobs that end with their clients. */
final class ClientRules {
  private ClientRules() {}

  /**
   * A JobManager can only go by what it hears: one that has heard of a client within the time that
   * the job gives must not take it for dead, and where everybody is reachable it hears of all that
   * live.
   */
  static final class EndsWithItsClient extends Invariant {
    /** When a process last heard of the client of a job, without the time it stood still. */
    private final Map<String, Long> heard = new LinkedHashMap<>();

    EndsWithItsClient() {
      super("A job that ends with its client ends soon after it, and not while it lives.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Answered answered
          && answered.call().message() instanceof ClientHeartbeat heartbeat
          && answered.answer() instanceof Envelope.Reply reply
          && ((ClientReply) reply.message()).expected()) {
        heard.put(answered.by().name() + heartbeat.job(), awake(answered.by()));
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof ClientLost) {
        lost(decided.process(), decided.entry().job().orElseThrow());
      }
    }

    private long awake(SimProcess process) {
      return world().nanos() - process.frozenNanos();
    }

    private void lost(SimProcess process, JobId job) {
      Optional<Duration> timeout = plan(job).graph().clientTimeout();
      if (timeout.isEmpty()) {
        throw broken("Job " + job + " is cancelled, and does not end with its client");
      }
      Long last = heard.get(process.name() + job);
      if (last != null && awake(process) - last < timeout.get().toNanos()) {
        throw broken(
            process
                + " has heard of the client of job "
                + job
                + " "
                + Duration.ofNanos(awake(process) - last)
                + " ago, without standing still, and takes it for dead after "
                + timeout.get());
      }
      if (world().isReachable() && !isDead(job)) {
        throw broken("The client of job " + job + " lives and can be heard");
      }
    }

    @Override
    protected void settled(SimulatedWorld.Story story) {
      for (SimJob job : world().scenario().jobs()) {
        JobDetails details = story.jobs().get(job.id());
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
