package io.millrace.sim.sabotage;

import io.millrace.core.config.Configuration;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Rules broken about what components tell each other, and about how long they wait. */
final class NoticeSabotages {
  private NoticeSabotages() {}

  /** JobManagers have other options than the cluster. */
  static final class OtherOptions extends SimWiring {
    private final UnaryOperator<Configuration> change;

    OtherOptions(UnaryOperator<Configuration> change) {
      this.change = change;
    }

    @Override
    public Configuration configuration(SimProcess process, Configuration real) {
      return change.apply(real);
    }
  }

  /** A block lasts for a moment only. */
  static final class BlocksCutShort extends MessageForger {
    @Override
    Record message(String from, String to, Record said) {
      return said instanceof Block block
          ? new Block(block.target(), Duration.ofMillis(1), block.cause())
          : said;
    }
  }

  /** A report has one task less than there are. */
  static final class TasksConcealed extends MessageForger {
    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record said) {
      if (!(said instanceof TaskReport report) || report.executions().isEmpty()) {
        return said;
      }
      List<ExecutionId> rest = new ArrayList<>(report.executions());
      rest.remove(0);
      return new TaskReport(report.slots(), rest, report.counters());
    }
  }

  /** That a JobMaster has given up a worker gets lost on its way there. */
  static final class GivenUpUntold extends MessageForger {
    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      return call.message() instanceof JobMasterDrops drops && !drops.ended()
          ? Optional.empty()
          : Optional.of(call);
    }
  }

  /** A worker that registers again is told its first registration. */
  static final class FirstRegistrationTold extends MessageForger {
    private final Map<String, TaskManagerRegistered> first = new LinkedHashMap<>();

    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record said) {
      return said instanceof TaskManagerReply answer && answer.success().isPresent()
          ? new TaskManagerReply(
              answer.verdict(),
              answer.reason(),
              Optional.of(first.computeIfAbsent(to, x -> answer.success().get())))
          : said;
    }
  }
}
