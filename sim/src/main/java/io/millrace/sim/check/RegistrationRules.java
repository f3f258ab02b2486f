package io.millrace.sim.check;

import io.millrace.core.id.InstanceId;
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
}
