package io.millrace.rest;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.rpc.Env;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcError.Code;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The cluster as REST sees it: whoever leads now. Answers complete in the mailbox {@code rest}. */
final class ClusterGateways {
  private static final int TRIES = 4;
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Env env;
  private final Mailbox mailbox;
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final LeaderGateway<ResourceManagerGateway> resourceManager;

  ClusterGateways(Rpc rpc, LeaderRetrieval leaders) {
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

  <T> CompletableFuture<T> dispatcher(Function<DispatcherGateway, CompletableFuture<T>> question) {
    return ask(dispatcher, question);
  }

  <T> CompletableFuture<T> resourceManager(
      Function<ResourceManagerGateway, CompletableFuture<T>> question) {
    return ask(resourceManager, question);
  }

  /** Runs blocking work. */
  <T> CompletableFuture<T> io(Callable<T> work) {
    return env.io().call(mailbox, work);
  }

  void close() {
    dispatcher.close();
    resourceManager.close();
    mailbox.close();
  }

  private <G extends Gateway, T> CompletableFuture<T> ask(
      LeaderGateway<G> leader, Function<G, CompletableFuture<T>> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    attempt(leader, question, answer, 1);
    return answer;
  }

  private <G extends Gateway, T> void attempt(
      LeaderGateway<G> leader,
      Function<G, CompletableFuture<T>> question,
      CompletableFuture<T> answer,
      int number) {
    leader
        .find()
        .thenCompose(question)
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                answer.complete(value);
              } else if (number < TRIES && wasNotExecuted(failure)) {
                mailbox.after(PAUSE, () -> attempt(leader, question, answer, number + 1));
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  /** The leader had just gone, so that asking its successor executes nothing twice. */
  private static boolean wasNotExecuted(Throwable failure) {
    return RpcException.is(failure, Code.FENCED) || RpcException.is(failure, Code.NO_ENDPOINT);
  }
}
