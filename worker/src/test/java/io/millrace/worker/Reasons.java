package io.millrace.worker;

import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.util.Optional;

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
}
