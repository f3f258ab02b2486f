package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.ListBlocks;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.WorkerInfo;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** TaskManagers and nodes that get nothing new for a while. */
final class BlockOperations {
  private static final int MAX_TEXT = 1000;
  private static final int NAMED = 10;

  List<Operation> table() {
    return List.of(
        Operation.own(GET, "/blocklist", "Blocked TaskManagers and nodes.", this::list),
        Operation.own(
            POST,
            "/blocklist",
            "Blocks a TaskManager or a node (`?target=id-or-host&seconds=n&cause=text`); one that"
                + " is not there yet with `&future=true`.",
            this::block),
        Operation.own(
            DELETE,
            "/blocklist/:target",
            "Removes the block of a TaskManager or a node.",
            this::unblock));
  }

  private CompletableFuture<RestResponse> list(RestRequest call) {
    return call.resourceManager(manager -> manager.listBlocks(new ListBlocks()))
        .thenApply(
            answer ->
                RestResponse.ok(
                    new JsonObject()
                        .put(
                            "blocked",
                            Json.array(
                                answer.blocks(),
                                block ->
                                    new JsonObject()
                                        .put("target", block.target())
                                        .put("seconds-left", block.time().toSeconds())
                                        .put("cause", block.cause())))));
  }

  private CompletableFuture<RestResponse> block(RestRequest call) {
    String target = text(call, "target");
    String cause = text(call, "cause");
    long seconds = call.number("seconds", 0);
    if (seconds < 1 || seconds > Integer.MAX_VALUE) {
      throw new RestError(
          400, "Query parameter seconds wants a number from 1 to " + Integer.MAX_VALUE + ".");
    }
    Block block = new Block(target, Duration.ofSeconds(seconds), cause);
    boolean future = call.flag("future");
    CompletableFuture<?> known =
        future ? CompletableFuture.completedFuture(block) : known(call, target);
    return known
        .thenCompose(checked -> call.resourceManager(manager -> manager.block(block)))
        .thenApply(done -> RestResponse.empty(200));
  }

  /** A name that is mistyped would block nobody, and nobody would notice. */
  private static CompletableFuture<?> known(RestRequest call, String target) {
    return call.resourceManager(manager -> manager.listWorkers(new ListWorkers()))
        .thenCombine(
            call.resourceManager(manager -> manager.listBlocks(new ListBlocks())),
            (workers, blocks) -> {
              Set<String> names = new TreeSet<>();
              Set<String> hosts = new TreeSet<>();
              for (WorkerInfo worker : workers.workers()) {
                names.add(worker.worker().value());
                hosts.add(worker.address().host());
              }
              boolean blocked = blocks.blocks().stream().anyMatch(b -> b.target().equals(target));
              if (!blocked && !names.contains(target) && !hosts.contains(target)) {
                throw new RestError(404, unknown(target, names, hosts));
              }
              return target;
            });
  }

  private static String unknown(String target, Set<String> names, Set<String> hosts) {
    return "There is neither a TaskManager nor a host '"
        + target
        + "'. "
        + (names.isEmpty()
            ? "No TaskManager is there now."
            : "TaskManagers are " + some(names) + "; hosts are " + some(hosts) + ".")
        + " To block one that is yet to come, say --future (future=true).";
  }

  private static String some(Set<String> names) {
    String first = names.stream().limit(NAMED).collect(Collectors.joining(", "));
    return names.size() <= NAMED ? first : first + " and " + (names.size() - NAMED) + " more";
  }

  private CompletableFuture<RestResponse> unblock(RestRequest call) {
    Unblock request = new Unblock(call.path("target"));
    return call.resourceManager(manager -> manager.unblock(request))
        .thenApply(done -> RestResponse.empty(200));
  }

  private static String text(RestRequest call, String name) {
    String text =
        call.query(name)
            .orElseThrow(() -> new RestError(400, "Query parameter " + name + " is missing."));
    if (text.isBlank() || text.length() > MAX_TEXT) {
      throw new RestError(
          400, "Query parameter " + name + " wants a text of at most " + MAX_TEXT + " characters.");
    }
    return text;
  }
}
