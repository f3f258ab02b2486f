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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What holds of heartbeats. */
final class HeartbeatRules {
  private HeartbeatRules() {}

  /**
   * Whoever is called silent has been so for the time-out, counted from its last answer or its
   * registration, and has left a question unanswered that had the time for it: somebody who was
   * frozen and did not ask has nobody to blame.
   *
   * <p>What was asked before a registration does not count: that was somebody else, or the same
   * process under an instance that was given up, and its answer says nothing of this one.
   *
   * <p>An answer counts from the moment after its arrival: what comes due while a process is frozen
   * runs when it is thawed, the verdict perhaps before the answer.
   */
  static final class NobodyIsCalledSilentWhoAnswered extends Invariant {
    private final Map<String, Asked> all = new LinkedHashMap<>();

    /** What is known between one who asks and one who answers. */
    private static final class Asked {
      /** By the numbers of the calls, which are counted anew by a process that starts again. */
      private final Map<Long, Long> open = new LinkedHashMap<>();

      private long lastSign;

      /** When the newest answer has arrived that does not count yet, and when it was asked for. */
      private long arrivedAt;

      private OptionalLong arrivedFor = OptionalLong.empty();

      /** One answer makes up for all questions before it. */
      void count(long now) {
        if (arrivedFor.isPresent() && arrivedAt < now) {
          long put = arrivedFor.getAsLong();
          lastSign = arrivedAt;
          open.values().removeIf(other -> other <= put);
          arrivedFor = OptionalLong.empty();
        }
      }

      void arrived(long put, long now) {
        arrivedAt = now;
        arrivedFor = OptionalLong.of(Math.max(put, arrivedFor.orElse(put)));
      }

      /** Both are in one process: what they say to each other is not seen. */
      private boolean inside;
    }

    NobodyIsCalledSilentWhoAnswered() {
      super("A heartbeat loss is never reported for a process that answered in time.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent) {
        who(sent.from(), sent.to(), sent.call())
            .ifPresent(who -> asked(who).open.put(sent.call().correlation(), world().nanos()));
      } else if (fact instanceof Fact.Heard heard) {
        who(heard.at().name(), heard.from(), heard.call())
            .map(all::get)
            .filter(known -> heard.answer() instanceof Envelope.Reply)
            .ifPresent(known -> answered(known, heard.call().correlation()));
      } else if (fact instanceof Fact.Decided decided) {
        decided(decided.process().name(), decided.entry());
      }
    }

    private void answered(Asked known, long question) {
      known.count(world().nanos());
      Long put = known.open.get(question);
      if (put != null) {
        known.arrived(put, world().nanos());
      }
    }

    private Asked asked(String who) {
      return all.computeIfAbsent(who, x -> new Asked());
    }

    private static Optional<String> who(String from, String to, Envelope.Call call) {
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

    private void registered(String who, Address address) {
      registered(who, Optional.of(address));
    }

    private void registered(String who, Optional<Address> address) {
      Asked known = asked(who);
      known.arrivedFor = OptionalLong.empty();
      known.lastSign = world().nanos();
      // The first question of a registration is put before it is written down.
      known.open.values().removeIf(put -> put < world().nanos());
      known.inside = address.filter(at -> at.process().equals(who.split(" ", 2)[0])).isPresent();
    }

    private void lost(String who, Reason reason) {
      if (reason instanceof HeartbeatTimeout && !asked(who).inside) {
        check(who, asked(who), reason);
      }
    }

    private void check(String who, Asked known, Reason reason) {
      Configuration configuration = world().scenario().configuration();
      long timeout = configuration.get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT).toNanos();
      long patience =
          timeout - configuration.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL).toNanos();
      long now = world().nanos();
      known.count(now);
      if (now - known.lastSign < timeout) {
        throw broken(
            who
                + " "
                + millis(now - known.lastSign)
                + " ms before this is said: "
                + ReasonText.of(reason));
      }
      if (known.open.values().stream().noneMatch(put -> now - put >= patience)) {
        throw broken(
            who
                + " and has not asked it anything "
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
   * The other side of it: who is asked misses a leader only where no question of that leader has
   * come for the time-out. Where every process is reachable there is no reason to miss one at all.
   */
  static final class NobodyIsMissedWhoAsked extends Invariant {
    /** When the last question came, by who was asked and for whom. */
    private final Map<String, Long> asked = new LinkedHashMap<>();

    /** The instances under which workers are registered, and where JobMasters are. */
    private final Map<String, String> registered = new LinkedHashMap<>();

    /** The JobMasters at which workers are registered; what a former one asks does not count. */
    private final Map<String, LeaderToken> followed = new LinkedHashMap<>();

    NobodyIsMissedWhoAsked() {
      super("A leader is never missed by somebody whom it has asked for heartbeats in time.");
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
        asked.put(heard.at() + " worker " + instance, world().nanos());
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
        asked.put(at + " worker " + ask.instance(), world().nanos());
      } else if (call.message() instanceof AskTasks ask
          && ask.jobMaster().equals(followed.get(at + " job " + ask.job()))) {
        asked.put(at + " job " + ask.job(), world().nanos());
      } else if (call.message() instanceof AskJobMaster) {
        asked.put(at + " " + call.endpoint() + " by " + from, world().nanos());
      }
    }

    private void decided(SimProcess process, JournalEntry entry) {
      if (entry.event() instanceof RegisteredAtJobMaster) {
        asked.put(process + " job " + entry.job().orElseThrow(), world().nanos());
      } else if (entry.event() instanceof ResourceManagerDisconnected lost) {
        missed(process + " worker " + registered.get(process + " worker"), lost.reason());
      } else if (entry.event() instanceof JobMasterDisconnected lost) {
        missed(process + " job " + entry.job().orElseThrow(), lost.reason());
      } else if (entry.event() instanceof RegisteredAtResourceManager at) {
        registered.put(jobMaster(process, entry), at.address().process());
        asked.put(jobMaster(process, entry) + " by " + at.address().process(), world().nanos());
      } else if (entry.event() instanceof ResourceManagerLost lost) {
        String at = registered.get(jobMaster(process, entry));
        // What is said inside of a process is not seen.
        if (!process.name().equals(at)) {
          missed(jobMaster(process, entry) + " by " + at, lost.reason());
        }
      }
    }

    private static String jobMaster(SimProcess process, JournalEntry entry) {
      return process + " jobmaster-" + entry.job().orElseThrow();
    }

    private void missed(String who, Reason reason) {
      if (reason instanceof HeartbeatRequestTimeout) {
        check(who, reason);
      }
    }

    /** Nobody asks one that was told to go, which may take its time for that. */
    private boolean isReleased(String who) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .anyMatch(started -> started.isReleased() && who.startsWith(started.name() + " "));
    }

    private void check(String who, Reason reason) {
      long timeout =
          world()
              .scenario()
              .configuration()
              .get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT)
              .toNanos();
      long ago = world().nanos() - asked.getOrDefault(who, Long.MIN_VALUE / 2);
      // What came while it was frozen may still be in its mailbox.
      if (ago > 0 && ago < timeout) {
        throw broken(
            who + " was asked " + ago / 1_000_000 + " ms before this: " + ReasonText.of(reason));
      }
      if (ago > 0 && world().isReachable() && !isReleased(who)) {
        throw broken(who + " was not asked while all could be reached: " + ReasonText.of(reason));
      }
    }
  }
}
