package io.millrace.sim.check;

import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What holds of leaders and of those who follow them. */
final class LeaderRules {
  /** Deployments of one term are numbered within these bits. */
  private static final int NUMBER_BITS = 20;

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
