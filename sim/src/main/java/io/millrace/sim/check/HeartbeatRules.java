package io.millrace.sim.check;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.ResourceManagerLost;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterLost;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerRegistered;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredAtJobMaster;
import io.millrace.protocol.journal.TaskExecutorEvent.ResourceManagerDisconnected;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimProcess;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Invariants of heartbeats. */
final class HeartbeatRules {
  private HeartbeatRules() {}

  /**
   * A follower that a leader drops for a heartbeat timeout has not answered for the timeout,
   * counted from its last answer or its registration, and a request to it has been open for long
   * enough: a leader that was frozen and sent no request must not drop it.
   *
   * <p>Requests before a registration do not count: they went to another process or to an earlier
   * instance of it.
   *
   * <p>An answer counts from the moment after its arrival: when a frozen process continues, its
   * timeout may run before the answer that has arrived. One that arrives later than the timeout
   * after its request does not count: the leader has given up the call.
   */
  static final class HeartbeatTimeoutHasCause extends Invariant {
    private final Map<HeartbeatTarget, Requests> all = new LinkedHashMap<>();
    private long timeout = -1;

    /**
     * A leader and its follower.
     *
     * @param job the job whose tasks the leader asks for
     */
    private record HeartbeatTarget(String leader, String follower, Optional<JobId> job) {
      @Override
      public String toString() {
        return leader + " hears " + follower + job.map(id -> " of " + id).orElse("");
      }
    }

    /** The requests of one leader to one follower. */
    private static final class Requests {
      /** The times of open requests, by the numbers of their calls. */
      private final Map<Long, Long> open = new LinkedHashMap<>();

      /** Requests that failed: if such a call is repeated, its second answer does not count. */
      private final Set<Long> failed = new LinkedHashSet<>();

      private long lastAnswer;

      /** When the newest answer arrived that does not count yet, and when its request was sent. */
      private long arrivedAt;

      private OptionalLong arrivedFor = OptionalLong.empty();

      /** An answer completes all earlier requests. */
      void count(long now) {
        if (arrivedFor.isPresent() && arrivedAt < now) {
          long put = arrivedFor.getAsLong();
          lastAnswer = arrivedAt;
          open.values().removeIf(other -> other <= put);
          arrivedFor = OptionalLong.empty();
        }
      }

      void arrived(long put, long now) {
        arrivedAt = now;
        arrivedFor = OptionalLong.of(Math.max(put, arrivedFor.orElse(put)));
      }

      /** Both are in one process, so that their messages are not observed. */
      private boolean inside;
    }

    HeartbeatTimeoutHasCause() {
      super("A heartbeat timeout is never reported for a process that answered in time.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      HeartbeatTarget pair = pair(sent.from(), sent.to(), sent.call());
      if (pair != null) {
        requests(pair).open.put(sent.call().correlation(), world().nanos());
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      HeartbeatTarget pair = pair(heard.at().name(), heard.from(), heard.call());
      Requests requests = pair == null ? null : all.get(pair);
      if (requests != null) {
        if (heard.answer() instanceof Envelope.Reply) {
          answered(requests, heard.call().correlation());
        } else {
          requests.failed.add(heard.call().correlation());
        }
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      decided(decided.process().name(), decided.entry());
    }

    private void answered(Requests requests, long request) {
      requests.count(world().nanos());
      Long put = requests.open.get(request);
      if (put != null && !requests.failed.contains(request) && world().nanos() - put < timeout()) {
        requests.arrived(put, world().nanos());
      }
    }

    private long timeout() {
      if (timeout < 0) {
        timeout =
            world()
                .scenario()
                .configuration()
                .get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT)
                .toNanos();
      }
      return timeout;
    }

    private Requests requests(HeartbeatTarget pair) {
      return all.computeIfAbsent(pair, x -> new Requests());
    }

    /** Null for a message that is no heartbeat request, as most are. */
    private static HeartbeatTarget pair(String from, String to, Envelope.Call call) {
      if (call.message() instanceof AskWorker) {
        return new HeartbeatTarget(from, to, Optional.empty());
      }
      if (call.message() instanceof AskJobMaster) {
        return new HeartbeatTarget(from, call.endpoint(), Optional.empty());
      }
      return call.message() instanceof AskTasks asked
          ? new HeartbeatTarget(from, to, Optional.of(asked.job()))
          : null;
    }

    private void decided(String process, JournalEntry entry) {
      if (entry.event() instanceof TaskManagerRegistered registered) {
        registered(worker(process, entry), registered.address());
      } else if (entry.event() instanceof TaskManagerLost lost) {
        lost(worker(process, entry), lost.reason());
      } else if (entry.event() instanceof WorkerRegistered) {
        // A worker is never in the process of a JobMaster.
        registered(tasks(process, entry), Optional.empty());
      } else if (entry.event() instanceof WorkerLost lost) {
        lost(tasks(process, entry), lost.reason());
      } else if (entry.event() instanceof JobMasterRegistered registered) {
        registered(jobMaster(process, entry), registered.address());
      } else if (entry.event() instanceof JobMasterLost lost) {
        lost(jobMaster(process, entry), lost.reason());
      }
    }

    private static HeartbeatTarget worker(String process, JournalEntry entry) {
      return new HeartbeatTarget(process, entry.worker().orElseThrow().value(), Optional.empty());
    }

    private static HeartbeatTarget tasks(String process, JournalEntry entry) {
      return new HeartbeatTarget(
          process, entry.worker().orElseThrow().value(), Optional.of(entry.job().orElseThrow()));
    }

    private static HeartbeatTarget jobMaster(String process, JournalEntry entry) {
      return new HeartbeatTarget(
          process, ComponentNames.jobMaster(entry.job().orElseThrow()), Optional.empty());
    }

    private void registered(HeartbeatTarget pair, Address address) {
      registered(pair, Optional.of(address));
    }

    private void registered(HeartbeatTarget pair, Optional<Address> address) {
      Requests requests = requests(pair);
      requests.arrivedFor = OptionalLong.empty();
      requests.lastAnswer = world().nanos();
      // The first request of a registration is sent before the journal entry.
      requests.open.values().removeIf(put -> put < world().nanos());
      requests.inside = address.filter(at -> at.process().equals(pair.leader())).isPresent();
    }

    private void lost(HeartbeatTarget pair, Reason reason) {
      if (reason instanceof HeartbeatTimeout && !requests(pair).inside) {
        check(pair, requests(pair), reason);
      }
    }

    private void check(HeartbeatTarget pair, Requests requests, Reason reason) {
      Configuration configuration = world().scenario().configuration();
      long patience =
          timeout() - configuration.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL).toNanos();
      long now = world().nanos();
      requests.count(now);
      if (now - requests.lastAnswer < timeout()) {
        throw broken(
            pair
                + " "
                + millis(now - requests.lastAnswer)
                + " ms before this is said: "
                + ReasonText.of(reason));
      }
      if (requests.open.values().stream().noneMatch(put -> now - put >= patience)) {
        throw broken(
            pair
                + " and has sent it no request "
                + millis(patience)
                + " ms before this is said: "
                + ReasonText.of(reason));
      }
    }

    private static long millis(long nanos) {
      return nanos / 1_000_000;
    }
  }

  /**
   * The other side: a follower drops a leader only if no heartbeat request of that leader has
   * arrived for the timeout. If every process is reachable, it never does.
   */
  static final class LeaderHeartbeatTimeoutHasCause extends Invariant {
    private static final String WORKER = "worker";
    private static final String JOB = "job";

    /** When the last request arrived. */
    private final Map<HeartbeatReceiver, Long> requestedAt = new LinkedHashMap<>();

    /**
     * A worker under an instance, a worker for a job, or a JobMaster for the process of a
     * ResourceManager.
     */
    private record HeartbeatReceiver(SimProcess process, String role, Object of) {
      @Override
      public String toString() {
        return process + " " + role + " " + of;
      }
    }

    /**
     * The instances of registered workers, and the processes at which JobMasters are registered.
     */
    private final Map<String, Object> registered = new LinkedHashMap<>();

    /** The JobMasters at which workers are registered; requests of former ones do not count. */
    private final Map<HeartbeatReceiver, LeaderToken> followed = new LinkedHashMap<>();

    LeaderHeartbeatTimeoutHasCause() {
      super(
          "A follower never reports a heartbeat timeout of a leader whose requests arrived in"
              + " time.");
    }

    @Override
    protected void called(Fact.Called called) {
      called(called.to(), called.from(), called.call());
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (!(heard.answer() instanceof Envelope.Reply reply)) {
        return;
      }
      if (reply.message() instanceof TaskManagerReply answer && answer.success().isPresent()) {
        Object instance = answer.success().get().instance();
        registered.put(heard.at() + " worker", instance);
        requestedAt.put(new HeartbeatReceiver(heard.at(), WORKER, instance), world().nanos());
      } else if (reply.message() instanceof WorkerReply answer
          && heard.call().message() instanceof RegisterAtJobMaster request) {
        answer
            .success()
            .ifPresent(
                at ->
                    followed.put(
                        new HeartbeatReceiver(heard.at(), JOB, request.job()), at.jobMaster()));
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      decided(decided.process(), decided.entry());
    }

    private void called(SimProcess at, String from, Envelope.Call call) {
      if (call.message() instanceof AskWorker ask) {
        requestedAt.put(new HeartbeatReceiver(at, WORKER, ask.instance()), world().nanos());
      } else if (call.message() instanceof AskTasks ask) {
        HeartbeatReceiver worker = new HeartbeatReceiver(at, JOB, ask.job());
        if (ask.jobMaster().equals(followed.get(worker))) {
          requestedAt.put(worker, world().nanos());
        }
      } else if (call.message() instanceof AskJobMaster) {
        requestedAt.put(new HeartbeatReceiver(at, call.endpoint() + " by", from), world().nanos());
      }
    }

    private void decided(SimProcess process, JournalEntry entry) {
      if (entry.event() instanceof RegisteredAtJobMaster) {
        requestedAt.put(
            new HeartbeatReceiver(process, JOB, entry.job().orElseThrow()), world().nanos());
      } else if (entry.event() instanceof ResourceManagerDisconnected lost) {
        lost(
            new HeartbeatReceiver(process, WORKER, registered.get(process + " worker")),
            lost.reason());
      } else if (entry.event() instanceof JobMasterDisconnected lost) {
        lost(new HeartbeatReceiver(process, JOB, entry.job().orElseThrow()), lost.reason());
      } else if (entry.event() instanceof RegisteredAtResourceManager at) {
        registered.put(process + " " + jobMaster(entry), at.address().process());
        requestedAt.put(
            new HeartbeatReceiver(process, jobMaster(entry) + " by", at.address().process()),
            world().nanos());
      } else if (entry.event() instanceof ResourceManagerLost lost) {
        Object at = registered.get(process + " " + jobMaster(entry));
        // Messages within a process are not observed.
        if (!process.name().equals(at)) {
          lost(new HeartbeatReceiver(process, jobMaster(entry) + " by", at), lost.reason());
        }
      }
    }

    private static String jobMaster(JournalEntry entry) {
      return ComponentNames.jobMaster(entry.job().orElseThrow());
    }

    private void lost(HeartbeatReceiver follower, Reason reason) {
      if (reason instanceof HeartbeatRequestTimeout) {
        check(follower, reason);
      }
    }

    /** A released worker, which may end late, gets no requests. */
    private boolean isReleased(HeartbeatReceiver follower) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .anyMatch(
              started ->
                  started.isReleased() && follower.process().toString().equals(started.name()));
    }

    private void check(HeartbeatReceiver follower, Reason reason) {
      long timeout =
          world()
              .scenario()
              .configuration()
              .get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT)
              .toNanos();
      long ago = world().nanos() - requestedAt.getOrDefault(follower, Long.MIN_VALUE / 2);
      // Requests that arrived while the process was frozen may still be in its mailbox.
      if (ago > 0 && ago < timeout) {
        throw broken(
            follower
                + " got a request "
                + ago / 1_000_000
                + " ms before this: "
                + ReasonText.of(reason));
      }
      if (ago > 0 && world().isReachable() && !isReleased(follower)) {
        throw broken(
            follower
                + " got no request while all processes were reachable: "
                + ReasonText.of(reason));
      }
    }
  }
}
