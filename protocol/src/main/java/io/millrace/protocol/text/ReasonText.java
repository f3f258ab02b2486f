package io.millrace.protocol.text;

import io.millrace.protocol.reason.ConfigurationReason;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.JobReason;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.WorkerReason;
import java.util.List;
import java.util.stream.Collectors;

/** Renders reasons for people, as one or more sentences. */
public final class ReasonText {
  private ReasonText() {}

  public static String of(Reason reason) {
    if (reason instanceof SlotReason slot) {
      return SlotReasonText.of(slot);
    } else if (reason instanceof WorkerReason worker) {
      return WorkerReasonText.of(worker);
    } else if (reason instanceof PeerReason peer) {
      return PeerReasonText.of(peer);
    } else if (reason instanceof JobReason job) {
      return JobReasonText.of(job);
    } else if (reason instanceof ConfigurationReason configuration) {
      return ConfigurationReasonText.of(configuration);
    } else if (reason instanceof DriverReason driver) {
      return closed(driver.text());
    } else if (reason instanceof ErrorReason error) {
      return closed(error.message());
    } else {
      throw new IllegalArgumentException("No text for " + reason.getClass());
    }
  }

  /** Why a job does not restart, without the failure. */
  public static String refusal(RestartRefused refused) {
    return JobReasonText.refusal(refused);
  }

  static String of(List<Reason> reasons) {
    return reasons.stream().map(ReasonText::of).collect(Collectors.joining(" "));
  }

  /** An external message as a sentence, with a capital letter and a full stop. */
  static String sentence(String message) {
    String line = closed(message);
    return line.isEmpty() ? line : Character.toUpperCase(line.charAt(0)) + line.substring(1);
  }

  /** An external message with a full stop at its end. */
  static String closed(String message) {
    String line = message.strip();
    return line.isEmpty() || ".!?…".indexOf(line.charAt(line.length() - 1)) >= 0
        ? line
        : line + ".";
  }
}
