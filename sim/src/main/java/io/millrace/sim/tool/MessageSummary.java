package io.millrace.sim.tool;

import io.millrace.rpc.Envelope;

/** Short texts of messages. */
final class MessageSummary {
  private static final int MAX_LENGTH = 220;

  private MessageSummary() {}

  static String of(Envelope envelope) {
    if (envelope instanceof Envelope.Call call) {
      return "#" + call.correlation() + " " + brief(call.message());
    } else if (envelope instanceof Envelope.Reply reply) {
      return "#" + reply.correlation() + " = " + brief(reply.message());
    }
    Envelope.Failed failed = (Envelope.Failed) envelope;
    return "#"
        + failed.correlation()
        + " = "
        + failed.error().code()
        + ": "
        + shortened(failed.error().failure().message());
  }

  /** The simple name of a message. */
  static String name(Envelope envelope) {
    if (envelope instanceof Envelope.Call call) {
      return call.message().getClass().getSimpleName();
    } else if (envelope instanceof Envelope.Reply reply) {
      return reply.message().getClass().getSimpleName();
    }
    return ((Envelope.Failed) envelope).error().code().toString();
  }

  private static String brief(Record message) {
    return shortened(message.toString().replaceAll("\\b([0-9a-f]{8})[0-9a-f]{24,}\\b", "$1"));
  }

  private static String shortened(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
  }
}
