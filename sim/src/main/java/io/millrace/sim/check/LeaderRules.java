package io.millrace.sim.check;

import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import io.millrace.rpc.leader.LeaderDirectoryGateway.LeaderAnswer;
import io.millrace.sim.SimProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Invariants of leaders and of their followers. */
final class LeaderRules {
  /** The bits of a deployment number that count deployments within a term. */
  private static final int NUMBER_BITS = 20;

  /** Answers that were in flight arrive within this time, unless a fault delays them. */
  private static final long LATE = Duration.ofSeconds(15).toNanos();

  private LeaderRules() {}

  /** The JobMaster that sent a message to a worker, and its job. */
  private record Sender(JobId job, LeaderToken jobMaster) {
    static Optional<Sender> of(Record message) {
      if (message instanceof DeployTasks deploy) {
        return Optional.of(new Sender(deploy.job(), deploy.jobMaster()));
      } else if (message instanceof AdoptTasks adopt) {
        return Optional.of(new Sender(adopt.job(), adopt.jobMaster()));
      } else if (message instanceof CancelTasks cancel) {
        return Optional.of(new Sender(cancel.job(), cancel.jobMaster()));
      } else if (message instanceof FreeSlot free) {
        return Optional.of(new Sender(free.job(), free.jobMaster()));
      }
      return Optional.empty();
    }
  }

  static final class LeaderTermsIncrease extends Invariant {
    private final Map<String, LeaderToken> newest = new LinkedHashMap<>();

    LeaderTermsIncrease() {
      super("The term of a leader is higher than that of every leader before it.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      LeaderToken before = newest.put(granted.component(), granted.token());
      if (before != null && before.term() >= granted.token().term()) {
        throw broken(granted.component() + " leads with " + granted.token() + " after " + before);
      }
    }
  }

  static final class OneJobMasterPerTerm extends Invariant {
    private final Map<JobId, Map<Long, String>> acting = new LinkedHashMap<>();

    OneJobMasterPerTerm() {
      super("No two JobMasters of a job act under the same term.");
    }

    @Override
    protected void called(Fact.Called called) {
      Sender.of(called.call().message())
          .ifPresent(
              sender -> {
                String jobMaster = sender.jobMaster() + " at " + called.from();
                String other =
                    acting
                        .computeIfAbsent(sender.job(), x -> new LinkedHashMap<>())
                        .putIfAbsent(sender.jobMaster().term(), jobMaster);
                if (other != null && !other.equals(jobMaster)) {
                  throw broken(
                      "Job " + sender.job() + " is run by " + other + " and by " + jobMaster);
                }
              });
    }
  }

  static final class StaleLeadersAreFenced extends Invariant {
    private final Map<String, Long> newest = new LinkedHashMap<>();

    /** The term of the newest leader that has notified a worker of the end of a job. */
    private final Map<String, Long> ended = new LinkedHashMap<>();

    StaleLeadersAreFenced() {
      super("A worker that follows a leader executes no message of an earlier one.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      String follower = deployed.host().process() + " runs " + deployed.task().job();
      executed(follower, deployed.task().number() >> NUMBER_BITS);
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.answer() instanceof Envelope.Reply reply) {
        if (reply.message() instanceof TaskManagerReply registered) {
          registered
              .success()
              .ifPresent(success -> follows(heard.at() + " manages", success.resourceManager()));
        } else if (reply.message() instanceof WorkerReply registered
            && heard.call().message() instanceof RegisterAtJobMaster request) {
          registered
              .success()
              .ifPresent(
                  success -> follows(heard.at() + " runs " + request.job(), success.jobMaster()));
        }
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply) {
        if (answered.call().message() instanceof RequestSlot request
            && ((SlotReply) reply.message()).granted()) {
          executed(answered.by() + " manages", request.resourceManager().term());
        }
        Sender.of(answered.call().message())
            .ifPresent(
                sender ->
                    executed(answered.by() + " runs " + sender.job(), sender.jobMaster().term()));
      }
    }

    /** The JobMaster or the ResourceManager notifies workers of the end of a job. */
    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof JobMasterDrops drops && drops.ended()) {
        ended.merge(called.to() + " runs " + drops.job(), drops.jobMaster().term(), Math::max);
      } else if (called.call().message() instanceof JobEnded notice) {
        ended.merge(
            called.to() + " manages " + notice.job(), notice.resourceManager().term(), Math::max);
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof JobRemoved removed) {
        JobId job = decided.entry().job().orElseThrow();
        if (removed.reason() instanceof JobEndReported) {
          Long term = ended.get(decided.process() + " manages " + job);
          executed(decided.process() + " manages", term == null ? Long.MIN_VALUE : term);
        } else {
          String follower = decided.process() + " runs " + job;
          Long term = ended.get(follower);
          executed(follower, term == null ? Long.MIN_VALUE : term);
        }
      }
    }

    private void follows(String follower, LeaderToken leader) {
      newest.merge(follower, leader.term(), Math::max);
    }

    private void executed(String follower, long term) {
      long known = newest.getOrDefault(follower, Long.MIN_VALUE);
      if (term < known) {
        throw broken(follower + " of term " + term + " although it follows term " + known);
      }
      newest.put(follower, term);
    }
  }

  /**
   * Registered JobMasters are known from the answers to registrations; for a JobMaster in the
   * process of the ResourceManager it is the one that leads there.
   */
  static final class NewestJobMasterCounts extends Invariant {
    private static final String JOB_MASTER = "jobmaster-";

    /** The terms of JobMasters, by process and job. */
    private final Map<String, Long> leading = new LinkedHashMap<>();

    /** The terms of the JobMasters whose jobs have not ended. */
    private final Map<String, Long> running = new LinkedHashMap<>();

    /** The term of the newest registered leader, by ResourceManager and job. */
    private final Map<String, Long> registered = new LinkedHashMap<>();

    /**
     * The term of the newest leader that has reported the end of a job, by ResourceManager and job.
     */
    private final Map<String, Long> ended = new LinkedHashMap<>();

    NewestJobMasterCounts() {
      super(
          "A ResourceManager at which a leader of a job has registered accepts neither"
              + " requirements nor the end of the job from an earlier leader.");
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof JobMasterLeaves notice && notice.ended()) {
        ended.merge(called.to() + " " + notice.job(), notice.leader().term(), Math::max);
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply) {
        if (answered.call().message() instanceof RegisterJobMaster request
            && ((JobMasterReply) reply.message()).success().isPresent()) {
          registered.merge(answered.by() + " " + request.job(), request.leader().term(), Math::max);
        } else if (answered.call().message() instanceof DeclareRequirements declaration) {
          check(
              answered.by() + " " + declaration.job(),
              declaration.leader().term(),
              "the requirement");
        }
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      decided
          .entry()
          .job()
          .ifPresent(
              job ->
                  decided(
                      decided.process(), decided.process() + " " + job, decided.entry().event()));
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().startsWith(JOB_MASTER)) {
        String job = granted.component().substring(JOB_MASTER.length());
        leading.put(granted.process() + " " + job, granted.token().term());
      } else if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        registered.keySet().removeIf(key -> key.startsWith(granted.process() + " "));
        ended.keySet().removeIf(key -> key.startsWith(granted.process() + " "));
      }
    }

    private void decided(SimProcess process, String job, Record event) {
      if (event instanceof JobMasterStarted started) {
        running.put(job, started.term());
      } else if (event instanceof StatusChanged changed && changed.status().isTerminal()) {
        running.remove(job);
      } else if (event instanceof ResourceManagerEvent.JobMasterRegistered known
          && known.address().process().equals(process.name())
          && leading.containsKey(job)) {
        registered.merge(job, leading.get(job), Math::max);
      } else if (event instanceof ResourceManagerEvent.JobForgotten forgotten
          && forgotten.reason() instanceof JobEndReported) {
        Long own = leading.get(job);
        boolean reported = own != null && !own.equals(running.get(job));
        check(
            job,
            Math.max(reported ? own : Long.MIN_VALUE, ended.getOrDefault(job, Long.MIN_VALUE)),
            "the end");
        registered.remove(job);
      }
    }

    private void check(String job, long term, String what) {
      Long newest = registered.get(job);
      if (newest != null && term < newest) {
        throw broken(
            job
                + ": "
                + what
                + " is accepted from the leader of term "
                + term
                + " after "
                + newest);
      }
    }
  }

  /** About JobMasters, which withdraw when their jobs have ended. */
  static final class WithdrawnLeadersAreNotPublished extends Invariant {
    private final Map<String, LeaderToken> leading = new LinkedHashMap<>();
    private final Map<LeaderToken, Long> withdrawn = new LinkedHashMap<>();

    /** When an answer was sent, by the caller, the process that answers and the call. */
    private final Map<String, Long> answeredAt = new LinkedHashMap<>();

    WithdrawnLeadersAreNotPublished() {
      super("A leader that has withdrawn is not published any more.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      leading.put(granted.process() + "/" + granted.component(), granted.token());
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof JobArchived) {
        LeaderToken token =
            leading.get(
                decided.process()
                    + "/"
                    + ComponentNames.jobMaster(decided.entry().job().orElseThrow()));
        if (token != null) {
          withdrawn.put(token, world().nanos());
        }
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof AwaitLeader) {
        answeredAt.put(
            answered.to() + ">" + answered.by().name() + answered.call().correlation(),
            world().nanos());
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof LeaderAnswer answer) {
        // The receiver may have been frozen since the answer was sent.
        Long sent =
            answeredAt.remove(heard.at().name() + ">" + heard.from() + heard.call().correlation());
        Long since = answer.leader().map(leader -> withdrawn.get(leader.token())).orElse(null);
        if (since != null && sent != null && sent - since > LATE) {
          throw broken(
              heard.from()
                  + " publishes "
                  + answer.leader().get()
                  + ", which withdrew "
                  + (world().nanos() - since) / 1_000_000
                  + " ms ago");
        }
      }
    }
  }

  /**
   * The leader whose decision a message carries. Messages with which a leader disconnects are no
   * decisions: they help its successor.
   */
  private static Optional<LeaderToken> decider(Record message) {
    if (message instanceof RequestSlot request) {
      return Optional.of(request.resourceManager());
    } else if (message instanceof AskWorker ask) {
      return Optional.of(ask.resourceManager());
    } else if (message instanceof AskJobMaster ask) {
      return Optional.of(ask.resourceManager());
    } else if (message instanceof AskTasks ask) {
      return Optional.of(ask.jobMaster());
    } else if (message instanceof RegisterJobMaster register) {
      return Optional.of(register.leader());
    } else if (message instanceof DeclareRequirements declare) {
      return Optional.of(declare.leader());
    }
    return Sender.of(message).map(Sender::jobMaster);
  }

  /**
   * A leader may act until it is notified of its revocation. From then on it neither decides nor
   * answers in its term, not even for what it has begun.
   */
  static final class RevokedLeadersDoNotAct extends Invariant {
    private final Map<LeaderToken, Long> revoked = new LinkedHashMap<>();

    RevokedLeadersDoNotAct() {
      super("A leader that was notified of its revocation decides nothing and answers nothing.");
    }

    @Override
    protected void revoked(Fact.Revoked lost) {
      revoked.putIfAbsent(lost.token(), world().nanos());
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (!revoked.isEmpty()) {
        decider(sent.call().message())
            .filter(this::isLate)
            .ifPresent(
                token -> {
                  throw broken(
                      sent.from()
                          + " sends "
                          + sent.call().message().getClass().getSimpleName()
                          + " as "
                          + token
                          + ", which it knows to be revoked");
                });
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (!revoked.isEmpty() && answered.answer() instanceof Envelope.Reply) {
        answered
            .call()
            .token()
            .filter(this::isLate)
            .ifPresent(
                token -> {
                  throw broken(
                      answered.by()
                          + " answers "
                          + answered.call().message().getClass().getSimpleName()
                          + " as "
                          + token
                          + ", which it knows to be revoked");
                });
      }
    }

    /** Messages that are in mailboxes when the notice arrives are processed at the same time. */
    private boolean isLate(LeaderToken token) {
      return revoked.getOrDefault(token, Long.MAX_VALUE) < world().nanos();
    }
  }

  static final class CallsAreFenced extends Invariant {
    /** The newest token of each component of a process. */
    private final Map<String, LeaderToken> granted = new LinkedHashMap<>();

    private final Map<FencedCall, Optional<LeaderToken>> sentTokens = new LinkedHashMap<>();

    private record FencedCall(String from, String to, long correlation) {}

    CallsAreFenced() {
      super("A leader executes only calls that carry its own token.");
    }

    @Override
    protected void granted(Fact.Granted leads) {
      granted.put(leads.process() + "/" + leads.component(), leads.token());
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (isFenced(sent.call()) && sent.call().correlation() != 0) {
        sentTokens.put(key(sent.from(), sent.to(), sent.call()), sent.call().token());
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (isFenced(answered.call())) {
        Optional<LeaderToken> token =
            sentTokens.remove(key(answered.to(), answered.by().name(), answered.call()));
        if (token != null
            && answered.answer() instanceof Envelope.Reply
            && !isOf(answered, token)) {
          throw broken(
              answered.by()
                  + " executed "
                  + answered.call().message().getClass().getSimpleName()
                  + " of "
                  + answered.to()
                  + ", which carried "
                  + token);
        }
      }
    }

    private boolean isOf(Fact.Answered answered, Optional<LeaderToken> token) {
      LeaderToken own = granted.get(answered.by() + "/" + answered.call().endpoint());
      return own != null && token.equals(Optional.of(own));
    }

    private static boolean isFenced(Envelope.Call call) {
      return call.endpoint().equals(ComponentNames.DISPATCHER)
          || call.endpoint().equals(ComponentNames.RESOURCE_MANAGER)
          || call.endpoint().startsWith("jobmaster-");
    }

    private static FencedCall key(String from, String to, Envelope.Call call) {
      return new FencedCall(from, to, call.correlation());
    }
  }
}
