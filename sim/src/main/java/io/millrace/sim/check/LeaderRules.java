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
import io.millrace.rpc.leader.LeaderDirectoryGateway.LeaderAnswer;
import io.millrace.sim.SimProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What holds of leaders and of those who follow them. */
final class LeaderRules {
  /** Deployments of one term are numbered within these bits. */
  private static final int NUMBER_BITS = 20;

  /** Answers that were under way take no longer, unless something holds them up. */
  private static final long LATE = Duration.ofSeconds(15).toNanos();

  private LeaderRules() {}

  /** The JobMaster that a message to a worker comes from, with its job. */
  private record Word(JobId job, LeaderToken jobMaster) {
    static Optional<Word> of(Record message) {
      if (message instanceof DeployTasks deploy) {
        return Optional.of(new Word(deploy.job(), deploy.jobMaster()));
      } else if (message instanceof CancelTasks cancel) {
        return Optional.of(new Word(cancel.job(), cancel.jobMaster()));
      } else if (message instanceof FreeSlot free) {
        return Optional.of(new Word(free.job(), free.jobMaster()));
      }
      return Optional.empty();
    }
  }

  static final class TermsGrow extends Invariant {
    private final Map<String, LeaderToken> newest = new LinkedHashMap<>();

    TermsGrow() {
      super("The term of a leader is higher than that of every leader before it.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted) {
        LeaderToken before = newest.put(granted.component(), granted.token());
        if (before != null && before.term() >= granted.token().term()) {
          throw broken(granted.component() + " leads with " + granted.token() + " after " + before);
        }
      }
    }
  }

  static final class OneJobMasterATerm extends Invariant {
    private final Map<JobId, Map<Long, String>> acting = new LinkedHashMap<>();

    OneJobMasterATerm() {
      super("No two JobMasters of a job act under the same term.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Called called) {
        Word.of(called.call().message())
            .ifPresent(
                word -> {
                  String who = word.jobMaster() + " at " + called.from();
                  String other =
                      acting
                          .computeIfAbsent(word.job(), x -> new LinkedHashMap<>())
                          .putIfAbsent(word.jobMaster().term(), who);
                  if (other != null && !other.equals(who)) {
                    throw broken("Job " + word.job() + " is run by " + other + " and by " + who);
                  }
                });
      }
    }
  }

  static final class StaleWordIsIgnored extends Invariant {
    private final Map<String, Long> newest = new LinkedHashMap<>();

    /** The newest leader that has said to a worker that a job has ended. */
    private final Map<String, Long> ended = new LinkedHashMap<>();

    StaleWordIsIgnored() {
      super("A worker that follows a leader does nothing on the word of an earlier one.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed deployed) {
        String who = deployed.host().process() + " runs " + deployed.task().job();
        obeyed(who, deployed.task().number() >> NUMBER_BITS);
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply) {
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
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply) {
        if (answered.call().message() instanceof RequestSlot request
            && ((SlotReply) reply.message()).granted()) {
          obeyed(answered.by() + " manages", request.resourceManager().term());
        }
        Word.of(answered.call().message())
            .ifPresent(
                word -> obeyed(answered.by() + " runs " + word.job(), word.jobMaster().term()));
      } else {
        seenOfEnds(fact);
      }
    }

    /** That a job has ended is said by its leader, or by the ResourceManager. */
    private void seenOfEnds(Fact fact) {
      if (fact instanceof Fact.Called called
          && called.call().message() instanceof JobMasterDrops drops
          && drops.ended()) {
        ended.merge(called.to() + " runs " + drops.job(), drops.jobMaster().term(), Math::max);
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof JobEnded notice) {
        ended.merge(
            called.to() + " manages " + notice.job(), notice.resourceManager().term(), Math::max);
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof JobRemoved removed) {
        JobId job = decided.entry().job().orElseThrow();
        if (removed.reason() instanceof JobEndReported) {
          Long said = ended.remove(decided.process() + " manages " + job);
          obeyed(decided.process() + " manages", said == null ? Long.MIN_VALUE : said);
        } else {
          String who = decided.process() + " runs " + job;
          Long said = ended.remove(who);
          obeyed(who, said == null ? Long.MIN_VALUE : said);
        }
      }
    }

    private void follows(String who, LeaderToken leader) {
      newest.merge(who, leader.term(), Math::max);
    }

    private void obeyed(String who, long term) {
      long known = newest.getOrDefault(who, Long.MIN_VALUE);
      if (term < known) {
        throw broken(who + " of term " + term + " although it follows term " + known);
      }
      newest.put(who, term);
    }
  }

  /**
   * Who is registered is known from the answers to registrations; a JobMaster in the process of the
   * ResourceManager is the one that leads there.
   */
  static final class SuccessorsAreHeard extends Invariant {
    private static final String JOB_MASTER = "jobmaster-";

    /** The terms in which jobs are led, by process and job. */
    private final Map<String, Long> leading = new LinkedHashMap<>();

    /** The terms of the JobMasters that run their jobs, and of those whose jobs have ended. */
    private final Map<String, Long> running = new LinkedHashMap<>();

    /** The newest leader that was registered, by ResourceManager and job. */
    private final Map<String, Long> registered = new LinkedHashMap<>();

    /** The newest leader that has said that a job has ended, by ResourceManager and job. */
    private final Map<String, Long> ended = new LinkedHashMap<>();

    SuccessorsAreHeard() {
      super(
          "A ResourceManager at which a leader of a job has registered takes neither the needs nor"
              + " the end of the job from an earlier one.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted) {
        granted(granted);
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof JobMasterLeaves notice
          && notice.ended()) {
        ended.merge(called.to() + " " + notice.job(), notice.leader().term(), Math::max);
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply) {
        if (answered.call().message() instanceof RegisterJobMaster request
            && ((JobMasterReply) reply.message()).success().isPresent()) {
          registered.merge(answered.by() + " " + request.job(), request.leader().term(), Math::max);
        } else if (answered.call().message() instanceof DeclareRequirements declaration) {
          check(answered.by() + " " + declaration.job(), declaration.leader().term(), "the needs");
        }
      } else if (fact instanceof Fact.Decided decided && decided.entry().job().isPresent()) {
        decided(
            decided.process(),
            decided.process() + " " + decided.entry().job().get(),
            decided.entry().event());
      }
    }

    private void granted(Fact.Granted granted) {
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
        boolean said = own != null && !own.equals(running.get(job));
        check(
            job,
            Math.max(said ? own : Long.MIN_VALUE, ended.getOrDefault(job, Long.MIN_VALUE)),
            "the end");
        registered.remove(job);
      }
    }

    private void check(String job, long term, String what) {
      Long newest = registered.get(job);
      if (newest != null && term < newest) {
        throw broken(
            job + ": " + what + " is taken from the leader of term " + term + " after " + newest);
      }
    }
  }

  /** Of JobMasters, which withdraw when their jobs have ended. */
  static final class GoneLeadersAreNotNamed extends Invariant {
    private final Map<String, LeaderToken> leading = new LinkedHashMap<>();
    private final Map<LeaderToken, Long> gone = new LinkedHashMap<>();

    GoneLeadersAreNotNamed() {
      super("A leader that has withdrawn is not named as one any more.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted) {
        leading.put(granted.process() + "/" + granted.component(), granted.token());
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof JobArchived) {
        LeaderToken token =
            leading.get(
                decided.process()
                    + "/"
                    + ComponentNames.jobMaster(decided.entry().job().orElseThrow()));
        if (token != null) {
          gone.put(token, world().nanos());
        }
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof LeaderAnswer answer
          && answer.leader().isPresent()) {
        Long since = gone.get(answer.leader().get().token());
        if (since != null && world().nanos() - since > LATE) {
          throw broken(
              heard.from()
                  + " names "
                  + answer.leader().get()
                  + ", which withdrew "
                  + (world().nanos() - since) / 1_000_000
                  + " ms ago");
        }
      }
    }
  }

  /**
   * The leader whose decision a message carries out. What a leader says when it goes is not one:
   * its successor is served by it.
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
    return Word.of(message).map(Word::jobMaster);
  }

  /**
   * That it has lost a session is no news to a leader before it is told. From then on what it has
   * begun is not carried out: it neither decides nor answers for its term.
   */
  static final class RevokedDecidesNothing extends Invariant {
    private final Map<LeaderToken, Long> revoked = new LinkedHashMap<>();

    RevokedDecidesNothing() {
      super("A leader that has heard of its revocation decides nothing and answers nothing more.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Revoked lost) {
        revoked.putIfAbsent(lost.token(), world().nanos());
      } else if (fact instanceof Fact.Sent sent && !revoked.isEmpty()) {
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
      } else if (fact instanceof Fact.Answered answered
          && !revoked.isEmpty()
          && answered.answer() instanceof Envelope.Reply) {
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

    /** What is in mailboxes when the news come is done at the same moment. */
    private boolean isLate(LeaderToken token) {
      return revoked.getOrDefault(token, Long.MAX_VALUE) < world().nanos();
    }
  }

  static final class CallsAreFenced extends Invariant {
    /** The newest token of each component of a process. */
    private final Map<String, LeaderToken> granted = new LinkedHashMap<>();

    private final Map<String, Optional<LeaderToken>> meant = new LinkedHashMap<>();

    CallsAreFenced() {
      super("A leader executes only calls that were meant for it: they carry its own token.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted leads) {
        granted.put(leads.process() + "/" + leads.component(), leads.token());
      } else if (fact instanceof Fact.Sent sent) {
        if (isFenced(sent.call()) && sent.call().correlation() != 0) {
          meant.put(key(sent.from(), sent.to(), sent.call()), sent.call().token());
        }
      } else if (fact instanceof Fact.Answered answered && isFenced(answered.call())) {
        Optional<LeaderToken> token =
            meant.remove(key(answered.to(), answered.by().name(), answered.call()));
        if (token != null
            && answered.answer() instanceof Envelope.Reply
            && !isOf(answered, token)) {
          throw broken(
              answered.by()
                  + " executed "
                  + answered.call().message().getClass().getSimpleName()
                  + " of "
                  + answered.to()
                  + ", which was meant for "
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

    private static String key(String from, String to, Envelope.Call call) {
      return from + ">" + to + " " + call.correlation();
    }
  }
}
