package io.millrace.worker;

import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.util.Optional;

/** Reasons as tests read and make them. */
public final class Reasons {
  private Reasons() {}

  /** A reason that has nothing but words. */
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
