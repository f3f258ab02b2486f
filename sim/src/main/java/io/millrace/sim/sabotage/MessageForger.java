package io.millrace.sim.sabotage;

import io.millrace.rpc.Envelope;
import io.millrace.sim.cluster.SimWiring;
import java.util.List;
import java.util.Optional;

/** Rewrites messages on the wire. */
abstract class MessageForger extends SimWiring {
  @Override
  public final List<Envelope> sends(String from, String to, Envelope envelope) {
    if (envelope instanceof Envelope.Call call) {
      return call(from, to, call).map(forged -> List.<Envelope>of(forged)).orElseGet(List::of);
    } else if (envelope instanceof Envelope.Reply reply) {
      return List.of(
          new Envelope.Reply(reply.correlation(), answer(from, to, reply, reply.message())));
    }
    return List.of(envelope);
  }

  /** The call that is sent instead; empty if it is lost. */
  Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
    return Optional.of(with(call, message(from, to, call.message())));
  }

  /** The message that a call has instead. */
  Record message(String from, String to, Record message) {
    return message;
  }

  /** The answer that is sent instead. */
  Record answer(String from, String to, Envelope.Reply reply, Record message) {
    return message;
  }

  static Envelope.Call with(Envelope.Call call, Record message) {
    return new Envelope.Call(
        call.endpoint(),
        call.token(),
        call.correlation(),
        call.timeoutMillis(),
        call.cause(),
        message);
  }
}
