package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.ListBlocks;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** TaskManagers and nodes that get nothing new for a while. */
final class BlockOperations {
  private static final int MAX_TEXT = 1000;

  List<Operation> table() {
    return List.of(
        Operation.own(
            GET, "/blocklist", "TaskManagers and nodes that get nothing new.", this::list),
        Operation.own(
            POST,
            "/blocklist",
            "Blocks a TaskManager or a node (`?target=id-or-host&seconds=n&cause=text`).",
            this::block),
        Operation.own(
            DELETE,
            "/blocklist/:target",
            "Lets a TaskManager or a node have new slots again.",
            this::unblock));
  }

  private CompletableFuture<Reply> list(Call call) {
    return call.resourceManager(manager -> manager.listBlocks(new ListBlocks()))
        .thenApply(
            answer ->
                Reply.ok(
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

  private CompletableFuture<Reply> block(Call call) {
    String target = text(call, "target");
    String cause = text(call, "cause");
    long seconds = call.number("seconds", 0);
    if (seconds < 1 || seconds > Integer.MAX_VALUE) {
      throw new RestError(
          400, "Query parameter seconds wants a number from 1 to " + Integer.MAX_VALUE + ".");
    }
    Block block = new Block(target, Duration.ofSeconds(seconds), cause);
    return call.resourceManager(manager -> manager.block(block))
        .thenApply(done -> Reply.empty(200));
  }

  private CompletableFuture<Reply> unblock(Call call) {
    Unblock request = new Unblock(call.path("target"));
    return call.resourceManager(manager -> manager.unblock(request))
        .thenApply(done -> Reply.empty(200));
  }

  private static String text(Call call, String name) {
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
