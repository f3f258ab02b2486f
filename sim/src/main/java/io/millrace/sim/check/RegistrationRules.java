package io.millrace.sim.check;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import io.millrace.sim.SimProcess;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Invariants of registrations. */
final class RegistrationRules {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private RegistrationRules() {}

  private static String call(String from, String to, Envelope.Call call) {
    return from + ">" + to + " " + call.correlation();
  }

  /**
   * The incarnation in the sent message identifies the process of a worker. Tasks of a former
   * process do not run any more, whether the loss of its connection has been noticed or not.
   */
  static final class FormerIncarnationIsDropped extends Invariant {
    private final Map<String, Record> messages = new LinkedHashMap<>();
    private final Map<String, LeaderToken> leading = new LinkedHashMap<>();

    /** The incarnation that is registered, by JobMaster and worker. */
    private final Map<String, Long> registered = new LinkedHashMap<>();

    FormerIncarnationIsDropped() {
      super(
          "A JobMaster that accepts the registration of another process of a worker has dropped"
              + " the former process and accepts no slots of it.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      leading.put(granted.process() + "/" + granted.component(), granted.token());
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof RegisterAtJobMaster
          || sent.call().message() instanceof OfferSlots) {
        messages.put(call(sent.from(), sent.to(), sent.call()), sent.call().message());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof WorkerLost) {
        JobId job = decided.entry().job().orElseThrow();
        LeaderToken token = leading.get(decided.process() + "/" + ComponentNames.jobMaster(job));
        registered.remove(token + " " + decided.entry().worker().orElseThrow());
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().token().isPresent()
          && answered.answer() instanceof Envelope.Reply reply) {
        answered(answered, answered.call().token().get(), reply.message());
      }
    }

    private void answered(Fact.Answered answered, LeaderToken jobMaster, Record answer) {
      String call = call(answered.to(), answered.by().name(), answered.call());
      if (answer instanceof WorkerReply reply
          && reply.success().isPresent()
          && messages.remove(call) instanceof RegisterAtJobMaster request) {
        String worker = jobMaster + " " + request.worker();
        Long before = registered.put(worker, request.incarnation());
        if (before != null && before != request.incarnation()) {
          throw broken(
              "Process "
                  + request.incarnation()
                  + " of "
                  + request.worker()
                  + " is registered at "
                  + jobMaster
                  + ", which has not dropped process "
                  + before);
        }
      } else if (answer instanceof OfferReply reply && !reply.accepted().isEmpty()) {
        Record original = messages.remove(call);
        OfferSlots offer =
            (OfferSlots) (original instanceof OfferSlots ? original : answered.call().message());
        Long known = registered.get(jobMaster + " " + offer.worker());
        if (known != null && known != offer.incarnation()) {
          throw broken(
              jobMaster
                  + " accepts slots of process "
                  + offer.incarnation()
                  + " of "
                  + offer.worker()
                  + ", and the registered process is "
                  + known);
        }
      }
    }
  }

  /** A late answer to an abandoned attempt does not count as the answer to the newest attempt. */
  static final class NewestRegistrationCounts extends Invariant {
    /** The newest attempt of each worker, by its call. */
    private final Map<String, String> newest = new LinkedHashMap<>();

    /** The newest instance of each worker, by the ResourceManager that assigned it. */
    private final Map<String, InstanceId> instances = new LinkedHashMap<>();

    /** The attempts for which instances were assigned. */
    private final Map<InstanceId, String> attempts = new LinkedHashMap<>();

    NewestRegistrationCounts() {
      super(
          "A worker reports its slots under its last registration attempt, and a ResourceManager"
              + " accepts no report under an earlier one.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof RegisterTaskManager) {
        newest.put(sent.from(), call(sent.from(), sent.to(), sent.call()));
      } else if (sent.call().message() instanceof ReportSlots report) {
        String attempt = attempts.get(report.instance());
        if (attempt != null && !attempt.equals(newest.get(sent.from()))) {
          throw broken(
              sent.from()
                  + " reports as "
                  + report.instance()
                  + " of "
                  + attempt
                  + " after "
                  + newest.get(sent.from()));
        }
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (!(answered.answer() instanceof Envelope.Reply reply)) {
        return;
      }
      if (reply.message() instanceof TaskManagerReply answer && answer.success().isPresent()) {
        attempts.put(
            answer.success().get().instance(),
            call(answered.to(), answered.by().name(), answered.call()));
        instances.put(
            answered.call().token() + " " + answered.to(), answer.success().get().instance());
      } else if (answered.call().message() instanceof ReportSlots report) {
        InstanceId newest = instances.get(answered.call().token() + " " + answered.to());
        if (newest != null && !newest.equals(report.instance())) {
          throw broken(
              answered.by()
                  + " accepts a report of "
                  + answered.to()
                  + " as "
                  + report.instance()
                  + ", which is registered as "
                  + newest);
        }
      }
    }
  }

  /**
   * A registration at one leader. An attempt that gets no answer is repeated at its timeout, but
   * not one whose connection broke before that. A follower that asks a JobManager for its leaders,
   * and loses that connection, has no leader until the next answer, and begins another registration
   * then. So does a TaskManager at a ResourceManager that reports that it has ended an earlier
   * registration. A TaskManager has given up the registration at a JobMaster, and with it the
   * attempt without an answer, when it has no slot of the job any more; the next slot begins
   * another one.
   */
  static final class RegistrationPausesAreRespected extends Invariant {
    private static final String AS_WORKER = "as worker";

    /** The attempts without an answer, by follower and leader. */
    private final Map<String, Attempt> open = new LinkedHashMap<>();

    /** When the last attempt failed with its connection. */
    private final Map<String, Failed> failed = new LinkedHashMap<>();

    private record Attempt(String from, String to, long correlation, long deadline) {}

    private record Failed(SimProcess follower, long at) {}

    RegistrationPausesAreRespected() {
      super(
          "A follower whose registration failed with its connection pauses before it registers at"
              + " the same leader again.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      follower(sent.call().message())
          .map(follower -> key(sent.from(), follower, sent.call().token()))
          .ifPresent(registration -> sent(registration, sent));
    }

    private void sent(String registration, Fact.Sent sent) {
      Failed before = failed.remove(registration);
      long pause =
          world().scenario().configuration().get(ClusterOptions.ERROR_REGISTRATION_DELAY).toNanos();
      if (before != null && before.follower().isAlive() && world().nanos() - before.at() < pause) {
        throw broken(
            "%s registers at %s again %d ms after its connection was lost"
                .formatted(
                    sent.from(), sent.to(), (world().nanos() - before.at()) / NANOS_PER_MILLI));
      }
      open.put(
          registration,
          new Attempt(
              sent.from(),
              sent.to(),
              sent.call().correlation(),
              world().nanos() + sent.call().timeoutMillis() * NANOS_PER_MILLI));
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.call().message() instanceof AwaitLeader) {
        failed.values().removeIf(before -> before.follower() == heard.at());
      }
      follower(heard.call().message())
          .map(follower -> key(heard.at().name(), follower, heard.call().token()))
          .filter(open::containsKey)
          .filter(known -> open.get(known).correlation() == heard.call().correlation())
          .ifPresent(open::remove);
    }

    @Override
    protected void connectionLost(Fact.ConnectionLost lost) {
      open.entrySet()
          .removeIf(
              entry -> {
                Attempt attempt = entry.getValue();
                if (!attempt.from().equals(lost.at().name()) || !attempt.to().equals(lost.peer())) {
                  return false;
                }
                if (world().nanos() < attempt.deadline()) {
                  failed.put(entry.getKey(), new Failed(lost.at(), world().nanos()));
                }
                return true;
              });
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof RequestSlot request) {
        if (hasNoSlotOf(request.job(), called.to())) {
          String worker = called.to().name() + " for " + request.job() + " ";
          failed.keySet().removeIf(registration -> registration.startsWith(worker));
          open.keySet().removeIf(registration -> registration.startsWith(worker));
        }
      } else if (called.call().message() instanceof ResourceManagerDrops notice) {
        failed.remove(key(called.to().name(), AS_WORKER, Optional.of(notice.resourceManager())));
      }
    }

    private boolean hasNoSlotOf(JobId job, SimProcess process) {
      return world().workers().stream()
          .filter(worker -> worker.process() == process)
          .anyMatch(worker -> worker.slots().hasNothingOf(job));
    }

    /** The follower that a message registers; empty for other messages. */
    private static Optional<String> follower(Record message) {
      if (message instanceof RegisterTaskManager) {
        return Optional.of(AS_WORKER);
      } else if (message instanceof RegisterAtJobMaster request) {
        return Optional.of("for " + request.job());
      }
      return message instanceof RegisterJobMaster request
          ? Optional.of("as " + request.job() + " " + request.leader())
          : Optional.empty();
    }

    private static String key(String from, String follower, Optional<LeaderToken> leader) {
      return from + " " + follower + " " + leader;
    }
  }
}
