package io.millrace.sim.check;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
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
    private final Map<String, Requests> all = new LinkedHashMap<>();

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
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent) {
        pair(sent.from(), sent.to(), sent.call())
            .ifPresent(pair -> requests(pair).open.put(sent.call().correlation(), world().nanos()));
      } else if (fact instanceof Fact.Heard heard) {
        pair(heard.at().name(), heard.from(), heard.call())
            .map(all::get)
            .ifPresent(
                requests -> {
                  if (heard.answer() instanceof Envelope.Reply) {
                    answered(requests, heard.call().correlation());
                  } else {
                    requests.failed.add(heard.call().correlation());
                  }
                });
      } else if (fact instanceof Fact.Decided decided) {
        decided(decided.process().name(), decided.entry());
      }
    }

    private void answered(Requests requests, long request) {
      requests.count(world().nanos());
      Long put = requests.open.get(request);
      long timeout =
          world()
              .scenario()
              .configuration()
              .get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT)
              .toNanos();
      if (put != null && !requests.failed.contains(request) && world().nanos() - put < timeout) {
        requests.arrived(put, world().nanos());
      }
    }

    private Requests requests(String pair) {
      return all.computeIfAbsent(pair, x -> new Requests());
    }

    private static Optional<String> pair(String from, String to, Envelope.Call call) {
      if (call.message() instanceof AskWorker) {
        return Optional.of(from + " hears " + to);
      }
      if (call.message() instanceof AskJobMaster) {
        return Optional.of(from + " hears " + call.endpoint());
      }
      return call.message() instanceof AskTasks asked
          ? Optional.of(from + " hears " + to + " of " + asked.job())
          : Optional.empty();
    }

    private void decided(String process, JournalEntry entry) {
      if (entry.event() instanceof TaskManagerRegistered registered) {
        registered(process + " hears " + entry.worker().orElseThrow(), registered.address());
      } else if (entry.event() instanceof TaskManagerLost lost) {
        lost(process + " hears " + entry.worker().orElseThrow(), lost.reason());
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

    private static String tasks(String process, JournalEntry entry) {
      return process
          + " hears "
          + entry.worker().orElseThrow()
          + " of "
          + entry.job().orElseThrow();
    }

    private static String jobMaster(String process, JournalEntry entry) {
      return process + " hears jobmaster-" + entry.job().orElseThrow();
    }

    private void registered(String pair, Address address) {
      registered(pair, Optional.of(address));
    }

    private void registered(String pair, Optional<Address> address) {
      Requests requests = requests(pair);
      requests.arrivedFor = OptionalLong.empty();
      requests.lastAnswer = world().nanos();
      // The first request of a registration is sent before the journal entry.
      requests.open.values().removeIf(put -> put < world().nanos());
      requests.inside =
          address.filter(at -> at.process().equals(pair.split(" ", 2)[0])).isPresent();
    }

    private void lost(String pair, Reason reason) {
      if (reason instanceof HeartbeatTimeout && !requests(pair).inside) {
        check(pair, requests(pair), reason);
      }
    }

    private void check(String pair, Requests requests, Reason reason) {
      Configuration configuration = world().scenario().configuration();
      long timeout = configuration.get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT).toNanos();
      long patience =
          timeout - configuration.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL).toNanos();
      long now = world().nanos();
      requests.count(now);
      if (now - requests.lastAnswer < timeout) {
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
    /** When the last request arrived, by receiver and sender. */
    private final Map<String, Long> requestedAt = new LinkedHashMap<>();

    /**
     * The instances of registered workers, and the processes at which JobMasters are registered.
     */
    private final Map<String, String> registered = new LinkedHashMap<>();

    /** The JobMasters at which workers are registered; requests of former ones do not count. */
    private final Map<String, LeaderToken> followed = new LinkedHashMap<>();

    LeaderHeartbeatTimeoutHasCause() {
      super(
          "A follower never reports a heartbeat timeout of a leader whose requests arrived in"
              + " time.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Called called) {
        called(called.to(), called.from(), called.call());
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof TaskManagerReply answer
          && answer.success().isPresent()) {
        String instance = answer.success().get().instance().toString();
        registered.put(heard.at() + " worker", instance);
        requestedAt.put(heard.at() + " worker " + instance, world().nanos());
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof WorkerReply answer
          && heard.call().message() instanceof RegisterAtJobMaster request) {
        answer
            .success()
            .ifPresent(at -> followed.put(heard.at() + " job " + request.job(), at.jobMaster()));
      } else if (fact instanceof Fact.Decided decided) {
        decided(decided.process(), decided.entry());
      }
    }

    private void called(SimProcess at, String from, Envelope.Call call) {
      if (call.message() instanceof AskWorker ask) {
        requestedAt.put(at + " worker " + ask.instance(), world().nanos());
      } else if (call.message() instanceof AskTasks ask
          && ask.jobMaster().equals(followed.get(at + " job " + ask.job()))) {
        requestedAt.put(at + " job " + ask.job(), world().nanos());
      } else if (call.message() instanceof AskJobMaster) {
        requestedAt.put(at + " " + call.endpoint() + " by " + from, world().nanos());
      }
    }

    private void decided(SimProcess process, JournalEntry entry) {
      if (entry.event() instanceof RegisteredAtJobMaster) {
        requestedAt.put(process + " job " + entry.job().orElseThrow(), world().nanos());
      } else if (entry.event() instanceof ResourceManagerDisconnected lost) {
        lost(process + " worker " + registered.get(process + " worker"), lost.reason());
      } else if (entry.event() instanceof JobMasterDisconnected lost) {
        lost(process + " job " + entry.job().orElseThrow(), lost.reason());
      } else if (entry.event() instanceof RegisteredAtResourceManager at) {
        registered.put(jobMaster(process, entry), at.address().process());
        requestedAt.put(
            jobMaster(process, entry) + " by " + at.address().process(), world().nanos());
      } else if (entry.event() instanceof ResourceManagerLost lost) {
        String at = registered.get(jobMaster(process, entry));
        // Messages within a process are not observed.
        if (!process.name().equals(at)) {
          lost(jobMaster(process, entry) + " by " + at, lost.reason());
        }
      }
    }

    private static String jobMaster(SimProcess process, JournalEntry entry) {
      return process + " jobmaster-" + entry.job().orElseThrow();
    }

    private void lost(String follower, Reason reason) {
      if (reason instanceof HeartbeatRequestTimeout) {
        check(follower, reason);
      }
    }

    /** A released worker, which may end late, gets no requests. */
    private boolean isReleased(String follower) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .anyMatch(started -> started.isReleased() && follower.startsWith(started.name() + " "));
    }

    private void check(String follower, Reason reason) {
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
