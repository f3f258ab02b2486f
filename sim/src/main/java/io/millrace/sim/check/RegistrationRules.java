package io.millrace.sim.check;

import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.rpc.Envelope;
import java.util.LinkedHashMap;
import java.util.Map;

/** What holds of those who register. */
final class RegistrationRules {
  private RegistrationRules() {}

  private static String call(String from, String to, Envelope.Call call) {
    return from + ">" + to + " " + call.correlation();
  }

  /** A late answer to an attempt that was given up is not taken for one to the newest. */
  static final class NewestAttemptCounts extends Invariant {
    /** The newest attempt of each worker, by its call. */
    private final Map<String, String> newest = new LinkedHashMap<>();

    /** The attempts that instances were given for. */
    private final Map<InstanceId, String> attempts = new LinkedHashMap<>();

    NewestAttemptCounts() {
      super("A worker reports its slots under the registration that it has tried last.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent) {
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
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof TaskManagerReply answer
          && answer.success().isPresent()) {
        attempts.put(
            answer.success().get().instance(),
            call(answered.to(), answered.by().name(), answered.call()));
      }
    }
  }

  /** Processes of one worker are told apart by when they began. */
  static final class FormerProcessIsLost extends Invariant {
    private final Map<String, Long> meant = new LinkedHashMap<>();
    private final Map<String, Long> registered = new LinkedHashMap<>();

    FormerProcessIsLost() {
      super(
          "A JobMaster that takes a new process of a worker gives up the former one with its"
              + " tasks.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof RegisterAtJobMaster request) {
        meant.put(call(sent.from(), sent.to(), sent.call()), request.incarnation());
      } else if (fact instanceof Fact.Decided decided
          && decided.event().component().equals("jobmaster")
          && decided.event().what().equals("worker lost")) {
        registered.remove(
            key(
                decided.process().toString(),
                decided.event().job().orElseThrow(),
                decided.event().worker().orElseThrow().value()));
      } else if (fact instanceof Fact.Decided decided
          && decided.event().component().equals("jobmaster")
          && decided.event().what().equals("jobmaster started")) {
        String begin = decided.process() + " " + decided.event().job().orElseThrow() + " ";
        registered.keySet().removeIf(key -> key.startsWith(begin));
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply
          && answered.call().message() instanceof RegisterAtJobMaster request
          && ((WorkerReply) reply.message()).success().isPresent()) {
        Long process = meant.get(call(answered.to(), answered.by().name(), answered.call()));
        if (process != null) {
          Long before =
              registered.put(
                  key(answered.by().toString(), request.job(), request.worker().value()), process);
          if (before != null && !before.equals(process)) {
            throw broken(
                answered.by()
                    + " takes process "
                    + process
                    + " of "
                    + request.worker()
                    + " and has not given up "
                    + before);
          }
        }
      }
    }

    private static String key(String process, JobId job, String worker) {
      return process + " " + job + " " + worker;
    }
  }
}
