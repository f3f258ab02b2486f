package io.millrace.rpc;

import io.millrace.rpc.PendingCalls.OpenCall;
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
 * The RPC of one process: serves its endpoints and calls those of others.
 *
 * <p>Shared by all mailboxes of the process, hence the concurrent maps; nothing here is iterated in
 * an order that could differ between runs of a simulation.
 */
public final class Rpc implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Rpc.class);

  private final Env env;
  private final Transport transport;
  private final Duration defaultTimeout;
  private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private final PendingCalls open = new PendingCalls();
  private final AtomicLong correlations = new AtomicLong();

  /** By the process they watch, in the order in which they were made. */
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

  /** How other processes reach this one. */
  public String address() {
    return transport.address();
  }

  /** A gateway with the default time-out. */
  public <G extends Gateway> G gateway(
      Class<G> type, Address to, Optional<LeaderToken> token, Mailbox caller) {
    return gateway(type, to, token, caller, defaultTimeout);
  }

  /**
   * A gateway to an endpoint. Making one costs nothing and needs nobody to be there; calls fail
   * where they fail. Answers complete their futures inside {@code caller}.
   */
  public <G extends Gateway> G gateway(
      Class<G> type, Address to, Optional<LeaderToken> token, Mailbox caller, Duration timeout) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return ofObject(method, proxy, arguments, type, to);
          }
          Record message = (Record) arguments[0];
          if (method.getReturnType() == void.class) {
            send(
                to,
                new Envelope.Call(to.endpoint(), token, 0, 0, caller.cause(), message),
                x -> {});
            return null;
          }
          return ask(to, token, message, caller, timeout);
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /**
   * Tells when the connection to a process breaks, in either direction: at once for a process that
   * was killed. Says nothing of processes nobody talked to yet.
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

  /** Ends all calls; endpoints are stopped by whoever started them. */
  @Override
  public void close() {
    transport.close();
    for (Long correlation : open.all()) {
      fail(correlation, RpcError.of(Code.CONNECTION, "This process is closing its connections"));
    }
  }

  void serve(Endpoint endpoint) {
    if (endpoints.putIfAbsent(endpoint.name(), endpoint) != null) {
      throw new IllegalStateException("There is an endpoint " + endpoint.name() + " already");
    }
  }

  void forget(Endpoint endpoint) {
    endpoints.remove(endpoint.name(), endpoint);
  }

  private CompletableFuture<Record> ask(
      Address to, Optional<LeaderToken> token, Record message, Mailbox caller, Duration timeout) {
    long correlation = correlations.incrementAndGet();
    OpenCall call = new OpenCall(to, message.getClass().getSimpleName(), caller);
    // Before its deadline is set, which may already run in the caller's mailbox by then.
    open.add(correlation, call);
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

  /** Calls inside the process skip the transport: it is the mailboxes that keep the order. */
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
                    "There is no endpoint " + call.endpoint() + " at " + transport.address())));
      }
      return;
    }
    endpoint.receive(call, reply);
  }

  private void complete(long correlation, Envelope envelope) {
    if (envelope instanceof Envelope.Failed error) {
      fail(correlation, error.error());
      return;
    }
    open.remove(correlation)
        .ifPresent(
            call -> {
              call.deadline.cancel();
              call.caller.post(() -> call.answer.complete(((Envelope.Reply) envelope).message()));
            });
  }

  private void fail(long correlation, RpcError error) {
    open.remove(correlation)
        .ifPresent(
            call -> {
              call.deadline.cancel();
              call.caller.post(() -> call.answer.completeExceptionally(new RpcException(error)));
            });
  }

  private static Object ofObject(
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
      long correlation =
          answer instanceof Envelope.Reply reply
              ? reply.correlation()
              : ((Envelope.Failed) answer).correlation();
      Optional<OpenCall> call = open.find(correlation);
      if (call.isPresent() && !call.get().to.process().equals(peer)) {
        LOG.warn("{} answered a call that was made to {}; ignored", peer, call.get().to);
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
      for (long correlation : open.to(peer)) {
        open.find(correlation)
            .ifPresent(
                call ->
                    fail(
                        correlation,
                        RpcError.of(
                            Code.CONNECTION,
                            "Lost "
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
