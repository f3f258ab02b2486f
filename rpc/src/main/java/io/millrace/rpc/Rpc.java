package io.millrace.rpc;

import io.millrace.rpc.PendingCalls.PendingCall;
import io.millrace.rpc.RpcError.Code;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RPC service of one process: it serves the endpoints of the process and calls those of others.
 * All mailboxes of the process share it, hence the concurrent maps. Nothing here is iterated in an
 * order that could differ between runs of a simulation.
 */
public final class Rpc implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Rpc.class);

  private final Env env;
  private final Transport transport;
  private final Duration defaultTimeout;
  private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private final PendingCalls pendingCalls = new PendingCalls();
  private final AtomicLong correlations = new AtomicLong();

  /** By watched process, in the order of registration. */
  private final Map<String, NavigableMap<Long, Watch>> watches = new ConcurrentHashMap<>();

  private final AtomicLong watchNumbers = new AtomicLong();

  private record Watch(long number, Mailbox mailbox, Consumer<String> listener) {}

  public Rpc(Env env, Transport transport, Duration defaultTimeout) {
    this.env = env;
    this.transport = transport;
    this.defaultTimeout = defaultTimeout;
    transport.start(new FromTransport());
  }

  public Env env() {
    return env;
  }

  /** The address under which other processes reach this one. */
  public String address() {
    return transport.address();
  }

  /** A gateway with the default time-out. */
  public <G extends Gateway> G gateway(
      Class<G> type, Address to, Optional<LeaderToken> token, Mailbox caller) {
    return gateway(type, to, token, caller, defaultTimeout);
  }

  /**
   * A gateway to an endpoint. Creating it sends nothing and does not check that the endpoint
   * exists. Futures of its calls complete inside {@code caller}.
   */
  public <G extends Gateway> G gateway(
      Class<G> type, Address to, Optional<LeaderToken> token, Mailbox caller, Duration timeout) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return invokeObjectMethod(method, proxy, arguments, type, to);
          }
          Record message = (Record) arguments[0];
          if (method.getReturnType() == void.class) {
            send(
                to,
                new Envelope.Call(to.endpoint(), token, 0, 0, caller.cause(), message),
                x -> {});
            return null;
          }
          return call(to, token, message, caller, timeout);
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /**
   * Calls the listener when the connection to a process breaks, in either direction. A killed
   * process is noticed at once. Before the first call to or from the process there is no connection
   * to watch.
   */
  public Subscription watch(String process, Mailbox mailbox, Consumer<String> listener) {
    Watch watch = new Watch(watchNumbers.incrementAndGet(), mailbox, listener);
    watches.compute(
        process,
        (key, all) -> {
          NavigableMap<Long, Watch> known = all == null ? new ConcurrentSkipListMap<>() : all;
          known.put(watch.number(), watch);
          return known;
        });
    return () ->
        watches.computeIfPresent(
            process,
            (key, all) -> {
              all.remove(watch.number());
              return all.isEmpty() ? null : all;
            });
  }

  private boolean isWatched(String process, Watch watch) {
    NavigableMap<Long, Watch> all = watches.get(process);
    return all != null && all.containsKey(watch.number());
  }

  /** Fails all pending calls. Does not stop the endpoints. */
  @Override
  public void close() {
    transport.close();
    for (Long correlation : pendingCalls.all()) {
      fail(correlation, RpcError.of(Code.CONNECTION, "This process closes its connections"));
    }
  }

  void register(Endpoint endpoint) {
    if (endpoints.putIfAbsent(endpoint.name(), endpoint) != null) {
      throw new IllegalStateException("Endpoint " + endpoint.name() + " is already registered");
    }
  }

  void unregister(Endpoint endpoint) {
    endpoints.remove(endpoint.name(), endpoint);
  }

  private CompletableFuture<Record> call(
      Address to, Optional<LeaderToken> token, Record message, Mailbox caller, Duration timeout) {
    long correlation = correlations.incrementAndGet();
    PendingCall call = new PendingCall(to, message.getClass().getSimpleName(), caller);
    // Added before the deadline is set, because the deadline may already run in the caller's
    // mailbox.
    pendingCalls.add(correlation, call);
    call.deadline =
        caller.after(
            timeout,
            () ->
                fail(
                    correlation,
                    RpcError.of(
                        Code.TIMEOUT,
                        "No answer from "
                            + to
                            + " to "
                            + call.message
                            + " within "
                            + timeout.toMillis()
                            + " ms")));
    send(
        to,
        new Envelope.Call(
            to.endpoint(), token, correlation, timeout.toMillis(), caller.cause(), message),
        envelope -> complete(correlation, envelope));
    return call.answer;
  }

  /** Calls inside the process skip the transport. The mailboxes keep their order. */
  private void send(Address to, Envelope.Call call, Consumer<Envelope> reply) {
    if (to.process().equals(transport.address())) {
      deliver(call, reply);
    } else {
      transport.send(to.process(), call);
    }
  }

  private void deliver(Envelope.Call call, Consumer<Envelope> reply) {
    Endpoint endpoint = endpoints.get(call.endpoint());
    if (endpoint == null) {
      if (call.correlation() != 0) {
        reply.accept(
            new Envelope.Failed(
                call.correlation(),
                RpcError.of(
                    Code.NO_ENDPOINT,
                    "No endpoint " + call.endpoint() + " at " + transport.address())));
      }
      return;
    }
    endpoint.receive(call, reply);
  }

  private void complete(long correlation, Envelope envelope) {
    if (envelope instanceof Envelope.Failed error) {
      fail(correlation, error.error());
    } else if (envelope instanceof Envelope.Reply reply) {
      pendingCalls
          .remove(correlation)
          .ifPresent(
              call -> {
                call.deadline.cancel();
                call.caller.post(() -> call.answer.complete(reply.message()));
              });
    } else {
      throw notAnAnswer(envelope);
    }
  }

  private static IllegalArgumentException notAnAnswer(Envelope envelope) {
    return new IllegalArgumentException(envelope.getClass().getSimpleName() + " is not an answer");
  }

  private static long correlationOf(Envelope answer) {
    if (answer instanceof Envelope.Reply reply) {
      return reply.correlation();
    } else if (answer instanceof Envelope.Failed failed) {
      return failed.correlation();
    } else {
      throw notAnAnswer(answer);
    }
  }

  private void fail(long correlation, RpcError error) {
    pendingCalls
        .remove(correlation)
        .ifPresent(
            call -> {
              call.deadline.cancel();
              call.caller.post(() -> call.answer.completeExceptionally(new RpcException(error)));
            });
  }

  private static Object invokeObjectMethod(
      Method method, Object proxy, Object[] arguments, Class<?> type, Address to) {
    return switch (method.getName()) {
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> to.hashCode();
      default -> type.getSimpleName() + "(" + to + ")";
    };
  }

  private final class FromTransport implements Transport.Inbound {
    @Override
    public void called(String peer, Envelope.Call call, Consumer<Envelope> reply) {
      deliver(call, reply);
    }

    @Override
    public void answered(String peer, Envelope answer) {
      long correlation = correlationOf(answer);
      Optional<PendingCall> call = pendingCalls.find(correlation);
      if (call.isPresent() && !call.get().to.process().equals(peer)) {
        LOG.warn("Ignored an answer from {} to a call that was sent to {}", peer, call.get().to);
        return;
      }
      complete(correlation, answer);
    }

    @Override
    public void undeliverable(String peer, Envelope.Call call, String reason) {
      if (call.correlation() == 0) {
        LOG.error("Could not send {} to {}: {}", call.message().getClass(), peer, reason);
        return;
      }
      fail(call.correlation(), RpcError.of(Code.FAILED, reason));
    }

    @Override
    public void lost(String peer, String reason) {
      for (long correlation : pendingCalls.to(peer)) {
        pendingCalls
            .find(correlation)
            .ifPresent(
                call ->
                    fail(
                        correlation,
                        RpcError.of(
                            Code.CONNECTION,
                            "Lost the connection to "
                                + call.to
                                + " before it answered "
                                + call.message
                                + ": "
                                + reason)));
      }
      for (Watch watch : watches.getOrDefault(peer, Collections.emptyNavigableMap()).values()) {
        watch
            .mailbox()
            .post(
                () -> {
                  if (isWatched(peer, watch)) {
                    watch.listener().accept(reason);
                  }
                });
      }
    }
  }
}
