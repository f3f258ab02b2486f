package io.millrace.rpc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.rpc.journal.JournalEntry;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A component that is called through gateways. It implements one or more {@link Gateway}
 * interfaces; everything it does runs in its mailbox.
 *
 * <p>States: CREATED → STARTING → RUNNING → STOPPING → STOPPED, or STARTING → STOPPED where the
 * start failed. Calls are executed only while RUNNING.
 */
public abstract class Endpoint {
  private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

  private enum State {
    CREATED,
    STARTING,
    RUNNING,
    STOPPING,
    STOPPED
  }

  private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

  protected final Rpc rpc;
  protected final Env env;
  protected final Mailbox mailbox;

  private final String name;
  private final Optional<LeaderToken> token;
  private final MessageHandlers handlers;
  private final CompletableFuture<Void> started = new CompletableFuture<>();
  private final CompletableFuture<Void> terminated = new CompletableFuture<>();
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private State state = State.CREATED;

  /** A call that waits in the mailbox, so that it does not go unanswered when that closes. */
  private static final class Waiting {
    private final Envelope.Call call;
    private final Consumer<Envelope> reply;

    Waiting(Envelope.Call call, Consumer<Envelope> reply) {
      this.call = call;
      this.reply = reply;
    }
  }

  protected Endpoint(Rpc rpc, String name, Optional<LeaderToken> token) {
    this.rpc = rpc;
    this.env = rpc.env();
    this.name = Objects.requireNonNull(name);
    this.token = Objects.requireNonNull(token);
    this.mailbox = env.mailbox(name);
    this.handlers = MessageHandlers.of(getClass());
  }

  /**
   * Runs first in the mailbox, for what takes time; no call is taken before it is done. A failure
   * ends the endpoint.
   */
  protected CompletableFuture<Void> prepare() {
    return READY;
  }

  /** Runs in the mailbox when all is prepared. Throwing ends the endpoint. */
  protected void onStart() throws Exception {}

  /** Runs when the endpoint is to stop, in its mailbox; calls are refused by then. */
  protected CompletableFuture<Void> onStop() {
    return CompletableFuture.completedFuture(null);
  }

  public final String name() {
    return name;
  }

  public final Address address() {
    return new Address(rpc.address(), name);
  }

  public final Optional<LeaderToken> token() {
    return token;
  }

  /** Completes, in the mailbox, when the endpoint serves; never where it does not get so far. */
  public final CompletableFuture<Void> started() {
    return started;
  }

  /** Completes when the endpoint has stopped; exceptionally where its start failed. */
  public final CompletableFuture<Void> terminated() {
    return terminated;
  }

  /** Begins to serve. */
  public final void start() {
    rpc.serve(this);
    mailbox.post(
        () -> {
          state = State.STARTING;
          CompletableFuture<Void> prepared;
          try {
            prepared = prepare();
          } catch (RuntimeException | LinkageError e) {
            prepared = CompletableFuture.failedFuture(e);
          }
          if (prepared.isDone()) {
            begin(prepared);
          } else {
            CompletableFuture<Void> later = prepared;
            prepared.whenComplete((nothing, failure) -> mailbox.post(() -> begin(later)));
          }
        });
  }

  private void begin(CompletableFuture<Void> prepared) {
    if (state != State.STARTING) {
      return; // stopped meanwhile
    }
    try {
      prepared.join();
      onStart();
    } catch (Exception | LinkageError e) {
      end(Failure.unwrap(e));
      return;
    }
    state = State.RUNNING;
    started.complete(null);
  }

  /** Refuses calls from now on, lets {@link #onStop} finish and ends. May be called repeatedly. */
  public final CompletableFuture<Void> stop() {
    mailbox.post(
        () -> {
          if (state == State.CREATED || state == State.STOPPING || state == State.STOPPED) {
            if (state == State.CREATED) {
              end(null);
            }
            return;
          }
          state = State.STOPPING;
          CompletableFuture<Void> stopped;
          try {
            stopped = onStop();
          } catch (RuntimeException e) {
            stopped = CompletableFuture.failedFuture(e);
          }
          stopped.whenComplete(
              (nothing, failure) -> {
                if (failure != null) {
                  LOG.warn("{} did not stop cleanly", name, failure);
                }
                mailbox.post(() -> end(null));
              });
        });
    return terminated;
  }

  /** Appends to the journal; calls made later in this message name the new event as their cause. */
  protected final void record(JournalEntry entry) {
    mailbox.cause(env.journal().append(entry.causedBy(mailbox.cause())));
  }

  /** Takes a call from any thread. */
  final void receive(Envelope.Call call, Consumer<Envelope> reply) {
    Waiting entry = new Waiting(call, reply);
    waiting.add(entry);
    mailbox.post(
        () -> {
          if (waiting.remove(entry)) {
            handle(call, reply);
          }
        });
    if (terminated.isDone()) {
      refuseWaiting();
    }
  }

  private void refuseWaiting() {
    for (Waiting entry = waiting.poll(); entry != null; entry = waiting.poll()) {
      refuseNow(entry.call, entry.reply);
    }
  }

  private void refuseNow(Envelope.Call call, Consumer<Envelope> reply) {
    refuse(call, reply, RpcError.Code.NO_ENDPOINT, "Endpoint " + name + " does not serve now");
  }

  private void handle(Envelope.Call call, Consumer<Envelope> reply) {
    mailbox.checkInside();
    if (state != State.RUNNING) {
      refuseNow(call, reply);
      return;
    }
    if (token.isPresent() && !token.equals(call.token())) {
      refuse(
          call,
          reply,
          RpcError.Code.FENCED,
          "Endpoint "
              + name
              + " has leader token "
              + token.get()
              + ", the call carries "
              + call.token().map(LeaderToken::toString).orElse("none"));
      return;
    }
    mailbox.cause(call.cause());
    try {
      answer(call, handlers.invoke(this, call.message()), reply);
    } catch (Exception | LinkageError e) {
      fail(call, e, reply);
    }
  }

  private void answer(
      Envelope.Call call, CompletableFuture<? extends Record> result, Consumer<Envelope> reply) {
    if (call.correlation() == 0) {
      result.exceptionally(
          failure -> {
            LOG.warn("{} failed on {}", name, call.message().getClass().getSimpleName(), failure);
            return null;
          });
      return;
    }
    result.whenComplete(
        (message, failure) -> {
          if (failure != null) {
            fail(call, failure, reply);
          } else if (message == null) {
            fail(call, new NullPointerException("The endpoint answered with nothing"), reply);
          } else {
            reply.accept(new Envelope.Reply(call.correlation(), message));
          }
        });
  }

  private void fail(Envelope.Call call, Throwable thrown, Consumer<Envelope> reply) {
    Throwable root = Failure.unwrap(thrown);
    if (call.correlation() == 0) {
      LOG.warn("{} failed on {}", name, call.message().getClass().getSimpleName(), root);
      return;
    }
    Failure failure =
        root instanceof RpcException inner
            ? inner.failure().withoutStack()
            : Failure.briefly(root, ErrorKind.BUG);
    if (failure.kind() == ErrorKind.BUG) {
      LOG.error("{} failed on {}", name, call.message().getClass().getSimpleName(), root);
    }
    reply.accept(
        new Envelope.Failed(call.correlation(), new RpcError(RpcError.Code.FAILED, failure)));
  }

  private static void refuse(
      Envelope.Call call, Consumer<Envelope> reply, RpcError.Code code, String why) {
    if (call.correlation() != 0) {
      reply.accept(new Envelope.Failed(call.correlation(), RpcError.of(code, why)));
    } else {
      LOG.debug("Dropped {}: {}", call.message().getClass().getSimpleName(), why);
    }
  }

  private void end(Throwable failure) {
    state = State.STOPPED;
    rpc.forget(this);
    if (failure == null) {
      terminated.complete(null);
    } else {
      terminated.completeExceptionally(failure);
    }
    mailbox.close();
    refuseWaiting();
  }
}
