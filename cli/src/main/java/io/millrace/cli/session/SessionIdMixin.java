package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.client.Session;
import io.millrace.core.config.Configuration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The parameter with the id of a session. */
final class SessionIdMixin {
  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "Id of the session, as `session list` shows it. Default: the current one.")
  private Optional<String> id = Optional.empty();

  @Mixin private SessionMixin options;

  /** The running session that the command line selects. */
  Session find(Console console) {
    Optional<String> named = id(console);
    Configuration configuration = options.load(console);
    Configuration selecting =
        named
            .map(
                given ->
                    UsageException.reading(
                        () -> options.target(configuration).naming(configuration, given)))
            .orElse(configuration);
    return options.target(selecting).find(selecting);
  }

  /** The id, from the parameter or an option of a style. */
  private Optional<String> id(Console console) {
    Optional<String> option =
        console.styles().requests(console.environment()).stream()
            .flatMap(
                one -> UsageException.reading(() -> one.style().session(one.arguments())).stream())
            .findFirst();
    if (id.isPresent() && option.isPresent()) {
      throw new UsageException(
          "The session is given twice: "
              + id.get()
              + " and "
              + option.get()
              + ". Omit one of them.");
    }
    return id.or(() -> option);
  }
}
