package io.millrace.rest;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.ProcessGateway;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rpc.Address;
import io.millrace.rpc.Env;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcError.Code;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Calls the current leaders of the cluster for REST. If a leader has just changed, a call is
 * repeated. Results complete in the mailbox {@code rest}.
 */
final class ClusterGateways {
  private static final int MAX_ATTEMPTS = 4;
  private static final Duration RETRY_DELAY = Duration.ofMillis(50);

  private final Rpc rpc;
  private final Env env;
  private final Mailbox mailbox;
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final LeaderGateway<ResourceManagerGateway> resourceManager;

  ClusterGateways(Rpc rpc, LeaderRetrieval leaders) {
    this.rpc = rpc;
    env = rpc.env();
    mailbox = env.mailbox("rest");
    dispatcher =
        new LeaderGateway<>(
            rpc, leaders, DispatcherGateway.class, ComponentNames.DISPATCHER, mailbox);
    resourceManager =
        new LeaderGateway<>(
            rpc, leaders, ResourceManagerGateway.class, ComponentNames.RESOURCE_MANAGER, mailbox);
  }

  Env env() {
    return env;
  }

  Mailbox mailbox() {
    return mailbox;
  }

  <T> CompletableFuture<T> dispatcher(Function<DispatcherGateway, CompletableFuture<T>> call) {
    return ask(dispatcher, call);
  }

  <T> CompletableFuture<T> resourceManager(
      Function<ResourceManagerGateway, CompletableFuture<T>> call) {
    return ask(resourceManager, call);
  }

  /** Looks into the process of a TaskManager. */
  ProcessGateway process(WorkerInfo worker, Duration timeout) {
    return rpc.gateway(
        ProcessGateway.class,
        new Address(worker.address().process(), ProcessGateway.NAME),
        Optional.empty(),
        mailbox,
        timeout);
  }

  /** Runs blocking work on an io thread. */
  <T> CompletableFuture<T> io(Callable<T> work) {
    return env.io().call(mailbox, work);
  }

  void close() {
    dispatcher.close();
    resourceManager.close();
    mailbox.close();
  }

  private <G extends Gateway, T> CompletableFuture<T> ask(
      LeaderGateway<G> leader, Function<G, CompletableFuture<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    attempt(leader, call, result, 1);
    return result;
  }

  private <G extends Gateway, T> void attempt(
      LeaderGateway<G> leader,
      Function<G, CompletableFuture<T>> call,
      CompletableFuture<T> result,
      int number) {
    leader
        .find()
        .thenCompose(call)
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                result.complete(value);
              } else if (number < MAX_ATTEMPTS && wasNotExecuted(failure)) {
                mailbox.after(RETRY_DELAY, () -> attempt(leader, call, result, number + 1));
              } else {
                result.completeExceptionally(failure);
              }
            });
  }

  /** The call reached no leader, so calling the next leader executes nothing twice. */
  private static boolean wasNotExecuted(Throwable failure) {
    return RpcException.is(failure, Code.FENCED) || RpcException.is(failure, Code.NO_ENDPOINT);
  }
}
