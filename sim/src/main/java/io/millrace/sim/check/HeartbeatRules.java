package io.millrace.sim.check;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.Event;
import io.millrace.sim.SimProcess;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What holds of heartbeats. */
final class HeartbeatRules {
  private HeartbeatRules() {}

  /** Whether somebody was given up for not having answered. */
  static boolean isSilence(Event event) {
    return event.detail().contains("did not answer heartbeats");
  }

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
        decided(decided.process().name(), decided.event());
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

    private void decided(String process, Event event) {
      String component = event.component();
      if (component.equals("resourcemanager") && event.worker().isPresent()) {
        decided(process + " hears " + event.worker().get(), event, "worker ");
      } else if (component.equals("jobmaster") && event.worker().isPresent()) {
        decided(
            process + " hears " + event.worker().get() + " of " + event.job().orElseThrow(),
            event,
            "worker ");
      } else if (component.equals("resourcemanager") && event.job().isPresent()) {
        decided(process + " hears jobmaster-" + event.job().get(), event, "jobmaster ");
      }
    }

    private void decided(String who, Event event, String whose) {
      if (event.what().equals(whose + "registered")) {
        Asked known = asked(who);
        known.arrivedFor = OptionalLong.empty();
        known.lastSign = world().nanos();
        // The first question of a registration is put before it is written down.
        known.open.values().removeIf(put -> put < world().nanos());
        known.inside = event.detail().startsWith("At " + who.split(" ", 2)[0] + "/");
      } else if (event.what().equals(whose + "lost") && isSilence(event) && !asked(who).inside) {
        check(who, asked(who), event);
      }
    }

    private void check(String who, Asked known, Event event) {
      Configuration configuration = world().scenario().configuration();
      long timeout = configuration.get(Options.HEARTBEAT_TIMEOUT).toNanos();
      long patience = timeout - configuration.get(Options.HEARTBEAT_INTERVAL).toNanos();
      long now = world().nanos();
      known.count(now);
      if (now - known.lastSign < timeout) {
        throw broken(
            who
                + " "
                + millis(now - known.lastSign)
                + " ms before this is said: "
                + event.detail());
      }
      if (known.open.values().stream().noneMatch(put -> now - put >= patience)) {
        throw broken(
            who
                + " and has not asked it anything "
                + millis(patience)
                + " ms before this is said: "
                + event.detail());
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
      } else if (fact instanceof Fact.Decided decided) {
        decided(decided.process(), decided.event());
      }
    }

    private void called(SimProcess at, String from, Envelope.Call call) {
      if (call.message() instanceof AskWorker ask) {
        asked.put(at + " worker " + ask.instance(), world().nanos());
      } else if (call.message() instanceof AskTasks ask) {
        asked.put(at + " job " + ask.job(), world().nanos());
      } else if (call.message() instanceof AskJobMaster) {
        asked.put(at + " " + call.endpoint() + " by " + from, world().nanos());
      }
    }

    private void decided(SimProcess process, Event event) {
      if (event.component().equals("taskmanager")) {
        if (event.what().equals("registered at job")) {
          asked.put(process + " job " + event.job().orElseThrow(), world().nanos());
        } else if (event.what().equals("resource manager lost") && isMissed(event)) {
          check(process + " worker " + registered.get(process + " worker"), event);
        } else if (event.what().equals("job leader lost") && isMissed(event)) {
          check(process + " job " + event.job().orElseThrow(), event);
        }
      } else if (event.component().equals("jobmaster")) {
        String jobMaster = process + " jobmaster-" + event.job().map(Object::toString).orElse("");
        if (event.what().equals("jobmaster registered")) {
          String at =
              event.detail().substring(event.detail().lastIndexOf(' ') + 1).split("/", 2)[0];
          registered.put(jobMaster, at);
          asked.put(jobMaster + " by " + at, world().nanos());
        } else if (event.what().equals("resourcemanager lost")
            && isMissed(event)
            // What is said inside of a process is not seen.
            && !process.name().equals(registered.get(jobMaster))) {
          check(jobMaster + " by " + registered.get(jobMaster), event);
        }
      }
    }

    private static boolean isMissed(Event event) {
      return event.detail().contains("has not asked for a heartbeat");
    }

    /** Nobody asks one that was told to go, which may take its time for that. */
    private boolean isReleased(String who) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .anyMatch(started -> started.isReleased() && who.startsWith(started.name() + " "));
    }

    private void check(String who, Event event) {
      long timeout = world().scenario().configuration().get(Options.HEARTBEAT_TIMEOUT).toNanos();
      long ago = world().nanos() - asked.getOrDefault(who, Long.MIN_VALUE / 2);
      // What came while it was frozen may still be in its mailbox.
      if (ago > 0 && ago < timeout) {
        throw broken(who + " was asked " + ago / 1_000_000 + " ms before this: " + event.detail());
      }
      if (ago > 0 && world().isReachable() && !isReleased(who)) {
        throw broken(who + " was not asked while all could be reached: " + event.detail());
      }
    }
  }
}
