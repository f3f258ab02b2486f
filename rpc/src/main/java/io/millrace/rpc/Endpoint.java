package io.millrace.rpc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.log.LogContext;
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
 * A component that other components call through gateways. It implements one or more {@link
 * Gateway} interfaces. All its code runs in its mailbox.
 *
 * <pre>
 * state      event                                    next state
 * CREATED    {@link #start}                           STARTING
 * CREATED    {@link #stop}                            STOPPED
 * STARTING   prepare() completes, onStart() returns   RUNNING
 * STARTING   prepare() or onStart() fails             STOPPED, terminated exceptionally
 * STARTING   {@link #stop}                            STOPPING
 * RUNNING    {@link #stop}                            STOPPING
 * STOPPING   onStop() completes                       STOPPED
 * </pre>
 *
 * <p>Calls are executed only in RUNNING. In every other state they fail with NO_ENDPOINT. A call to
 * a leader that is still being executed when the leader begins to stop fails with FAILED: the
 * leader has lost its term and must not answer in it, and the call may have taken effect.
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
  private final Queue<QueuedCall> queuedCalls = new ConcurrentLinkedQueue<>();

  /** Volatile, because an answer may complete outside of the mailbox. */
  private volatile State state = State.CREATED;

  /** A call in the mailbox. It is kept here so that it can be rejected when the mailbox closes. */
  private static final class QueuedCall {
    private final Envelope.Call call;
    private final Consumer<Envelope> reply;

    QueuedCall(Envelope.Call call, Consumer<Envelope> reply) {
      this.call = call;
      this.reply = reply;
    }
  }

  protected Endpoint(Rpc rpc, String name, Optional<LeaderToken> token) {
    this(rpc, name, token, LogContext.NONE);
  }

  /**
   * @param context the ids that the log lines of the endpoint carry
   */
  protected Endpoint(Rpc rpc, String name, Optional<LeaderToken> token, LogContext context) {
    this.rpc = rpc;
    this.env = rpc.env();
    this.name = Objects.requireNonNull(name);
    this.token = Objects.requireNonNull(token);
    this.mailbox = env.mailbox(name, context);
    this.handlers = MessageHandlers.of(getClass());
  }

  /**
   * The first code that runs in the mailbox, for initialization that takes time. Calls are rejected
   * until the future completes. A failure terminates the endpoint.
   */
  protected CompletableFuture<Void> prepare() {
    return READY;
  }

  /**
   * Runs in the mailbox after {@link #prepare} has completed. An exception terminates the endpoint.
   */
  protected void onStart() throws Exception {}

  /** Runs in the mailbox when the endpoint stops. Calls are rejected from then on. */
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

  /**
   * Completes in the mailbox when the endpoint is RUNNING. Does not complete if the endpoint stops
   * before that.
   */
  public final CompletableFuture<Void> started() {
    return started;
  }

  /** Completes when the endpoint is STOPPED; exceptionally if its start failed. */
  public final CompletableFuture<Void> terminated() {
    return terminated;
  }

  public final void start() {
    rpc.register(this);
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
            finishStart(prepared);
          } else {
            CompletableFuture<Void> later = prepared;
            prepared.whenComplete((nothing, failure) -> mailbox.post(() -> finishStart(later)));
          }
        });
  }

  private void finishStart(CompletableFuture<Void> prepared) {
    if (state != State.STARTING) {
      return; // The endpoint was stopped while it started.
    }
    try {
      prepared.join();
      onStart();
    } catch (Exception | LinkageError e) {
      terminate(Failure.unwrap(e));
      return;
    }
    state = State.RUNNING;
    started.complete(null);
  }

  /** Rejects calls from now on, waits for {@link #onStop} and terminates. Idempotent. */
  public final CompletableFuture<Void> stop() {
    mailbox.post(
        () -> {
          if (state == State.CREATED || state == State.STOPPING || state == State.STOPPED) {
            if (state == State.CREATED) {
              terminate(null);
            }
            return;
          }
          state = State.STOPPING;
          CompletableFuture<Void> stopped;
          try {
            stopped = onStop();
          } catch (RuntimeException | LinkageError e) {
            stopped = CompletableFuture.failedFuture(e);
          }
          stopped.whenComplete(
              (nothing, failure) -> {
                if (failure != null) {
                  LOG.warn("{} did not stop cleanly", name, failure);
                }
                mailbox.post(() -> terminate(null));
              });
        });
    return terminated;
  }

  /**
   * Appends an event to the journal. Calls made later in the same mailbox task carry it as their
   * cause.
   */
  protected final void record(JournalEntry entry) {
    mailbox.cause(env.journal().append(entry.causedBy(mailbox.cause())));
  }

  /** Enqueues a call. Any thread may call this. */
  final void receive(Envelope.Call call, Consumer<Envelope> reply) {
    QueuedCall entry = new QueuedCall(call, reply);
    queuedCalls.add(entry);
    mailbox.post(
        () -> {
          if (queuedCalls.remove(entry)) {
            handle(call, reply);
          }
        });
    if (terminated.isDone()) {
      rejectQueuedCalls();
    }
  }

  private void rejectQueuedCalls() {
    for (QueuedCall entry = queuedCalls.poll(); entry != null; entry = queuedCalls.poll()) {
      rejectNotRunning(entry.call, entry.reply);
    }
  }

  private void rejectNotRunning(Envelope.Call call, Consumer<Envelope> reply) {
    reject(call, reply, RpcError.Code.NO_ENDPOINT, "Endpoint " + name + " is not running");
  }

  private void handle(Envelope.Call call, Consumer<Envelope> reply) {
    mailbox.checkInside();
    if (state != State.RUNNING) {
      rejectNotRunning(call, reply);
      return;
    }
    if (token.isPresent() && !token.equals(call.token())) {
      reject(
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
            fail(
                call, new NullPointerException("The endpoint completed the call with null"), reply);
          } else if (token.isPresent() && state != State.RUNNING) {
            fail(call, stoppedBeforeAnswer(), reply);
          } else {
            reply.accept(new Envelope.Reply(call.correlation(), message));
          }
        });
  }

  private MillraceException stoppedBeforeAnswer() {
    return new MillraceException(
        ErrorKind.RESOURCE,
        "Endpoint "
            + name
            + " has stopped leading before it answered, and the call may have taken effect. Ask the"
            + " next leader in a few seconds.");
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

  private static void reject(
      Envelope.Call call, Consumer<Envelope> reply, RpcError.Code code, String reason) {
    if (call.correlation() != 0) {
      reply.accept(new Envelope.Failed(call.correlation(), RpcError.of(code, reason)));
    } else {
      LOG.debug("Dropped {}: {}", call.message().getClass().getSimpleName(), reason);
    }
  }

  private void terminate(Throwable failure) {
    state = State.STOPPED;
    rpc.unregister(this);
    if (failure == null) {
      terminated.complete(null);
    } else {
      terminated.completeExceptionally(failure);
    }
    mailbox.close();
    rejectQueuedCalls();
  }
}
