package io.millrace.control;

import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Creates and renders reasons in tests. */
public final class Reasons {
  private Reasons() {}

  /** A reason that consists of a sentence. */
  public static Reason words(String sentence) {
    return new ErrorReason(sentence);
  }

  public static String text(Reason reason) {
    return ReasonText.of(reason);
  }

  public static String text(Optional<Reason> reason) {
    return reason.map(ReasonText::of).orElse("");
  }

  public static String text(List<Reason> reasons) {
    return reasons.stream().map(ReasonText::of).collect(Collectors.joining(" "));
  }
}
