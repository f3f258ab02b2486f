package io.millrace.sim.tool;

import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.Messages;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.leader.LeaderDirectoryGateway;
import io.millrace.sim.Trace;
import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A run as a sequence diagram in HTML: one lane per process, one row per event. */
final class HtmlTrace extends Trace {
  private final Scenario scenario;
  private final Set<String> lanes = new LinkedHashSet<>();
  private final List<String> rows = new ArrayList<>();

  /** Periodic calls such as heartbeats; their answers are hidden by default, too. */
  private final Set<String> periodic = new LinkedHashSet<>();

  HtmlTrace(Scenario scenario) {
    this.scenario = scenario;
    lanes.add("client");
    lanes.addAll(scenario.shape().jobManagerNames());
    lanes.addAll(scenario.shape().workerNames());
  }

  /** The self-contained page. */
  String html(RunOutcome outcome) {
    String data =
        "{\"title\":"
            + quoted(
                "Seed "
                    + scenario.seed()
                    + ", scenario "
                    + scenario.kind().word()
                    + (outcome.passed() ? ": everything held" : ": FAILED"))
            + ",\"about\":["
            + String.join(",", scenario.lines().stream().map(HtmlTrace::quoted).toList())
            + "],\"broken\":"
            + outcome.violation().map(HtmlTrace::broken).orElse("null")
            + ",\"lanes\":["
            + String.join(",", lanes.stream().map(HtmlTrace::quoted).toList())
            + "],\"rows\":[\n"
            + String.join(",\n", rows)
            + "]}";
    return template().replace("/*DATA*/", data.replace("</", "<\\/"));
  }

  private static String broken(RunOutcome.Violation violation) {
    return "{\"sentence\":"
        + quoted(violation.sentence())
        + ",\"how\":"
        + quoted(violation.how())
        + ",\"at\":"
        + violation.at().toNanos() / 1000
        + "}";
  }

  @Override
  protected void onArrival(long sent, long now, String from, String to, Envelope envelope) {
    message("m", sent, now, from, to, envelope);
  }

  @Override
  protected void onLoss(long sent, String from, String to, Envelope envelope) {
    message("x", sent, sent, from, to, envelope);
  }

  @Override
  protected void onNote(long nanos, String process, String what) {
    lanes.add(process);
    row("p", nanos, nanos, process, process, what, what, false);
  }

  @Override
  protected void onFault(long nanos, String what) {
    row("f", nanos, nanos, "", "", what, what, false);
  }

  @Override
  protected void onDecision(Decision decision) {
    lanes.add(decision.process());
    row(
        "j",
        decision.nanos(),
        decision.nanos(),
        decision.process(),
        decision.process(),
        JournalText.title(JournalEvent.of(decision.entry()))
            + ": "
            + JournalText.of(decision.entry()),
        decision.toString(),
        false);
  }

  private void message(
      String type, long sent, long now, String from, String to, Envelope envelope) {
    lanes.add(from);
    lanes.add(to);
    boolean isPeriodic;
    if (envelope instanceof Envelope.Call call) {
      isPeriodic =
          Messages.isHeartbeat(call.message().getClass())
              || call.message() instanceof AwaitResult
              || call.message() instanceof ClientHeartbeat
              || call.message() instanceof LeaderDirectoryGateway.AwaitLeader;
      if (isPeriodic) {
        periodic.add(from + ">" + to + " " + call.correlation());
      }
    } else {
      long correlation =
          envelope instanceof Envelope.Reply reply
              ? reply.correlation()
              : ((Envelope.Failed) envelope).correlation();
      isPeriodic = periodic.remove(to + ">" + from + " " + correlation);
    }
    String label = (envelope instanceof Envelope.Call ? "" : "= ") + MessageSummary.name(envelope);
    row(type, sent, now, from, to, label, MessageSummary.of(envelope), isPeriodic);
  }

  private void row(
      String type,
      long sent,
      long nanos,
      String from,
      String to,
      String label,
      String detail,
      boolean isPeriodic) {
    rows.add(
        "["
            + quoted(type)
            + ","
            + nanos / 1000
            + ","
            + quoted(from)
            + ","
            + quoted(to)
            + ","
            + quoted(label)
            + ","
            + quoted(detail)
            + ","
            + (isPeriodic ? 1 : 0)
            + ","
            + sent / 1000
            + "]");
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  private static String template() {
    try (InputStream page = HtmlTrace.class.getResourceAsStream("trace.html")) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
