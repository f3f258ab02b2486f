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

/** Blocks TaskManagers and nodes, so that they get no new slots or containers for a time. */
final class BlockOperations {
  private static final int MAX_TEXT = 1000;
  private static final int MAX_NAMES = 10;

  List<Operation> table() {
    return List.of(
        Operation.extension(GET, "/blocklist", "Blocked TaskManagers and nodes.", this::list),
        Operation.extension(
            POST,
            "/blocklist",
            "Blocks a TaskManager or a node (`?target=id-or-host&seconds=n&cause=text`); one that"
                + " is not there yet with `&future=true`.",
            this::block),
        Operation.extension(
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
          400, "Query parameter seconds must be a number from 1 to " + Integer.MAX_VALUE + ".");
    }
    Block block = new Block(target, Duration.ofSeconds(seconds), cause);
    boolean future = call.flag("future");
    CompletableFuture<?> checked =
        future ? CompletableFuture.completedFuture(block) : checkTarget(call, target);
    return checked
        .thenCompose(known -> call.resourceManager(manager -> manager.block(block)))
        .thenApply(done -> RestResponse.empty(200));
  }

  /** Rejects a target that does not exist: a mistyped name would block nothing without an error. */
  private static CompletableFuture<?> checkTarget(RestRequest call, String target) {
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
            ? "No TaskManager is registered."
            : "TaskManagers are " + firstOf(names) + "; hosts are " + firstOf(hosts) + ".")
        + " To block a TaskManager or host before it registers, use --future (future=true).";
  }

  private static String firstOf(Set<String> names) {
    String first = names.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
    return names.size() <= MAX_NAMES
        ? first
        : first + " and " + (names.size() - MAX_NAMES) + " more";
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
          400, "Query parameter " + name + " must be a text of 1 to " + MAX_TEXT + " characters.");
    }
    return text;
  }
}
