package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import java.util.Optional;
import picocli.CommandLine.Parameters;

/** Mixed into the commands about one session. */
final class SessionIdMixin {
  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "Id of the session, as `session list` shows it. Default: the current one.")
  private Optional<String> id = Optional.empty();

  /** The id, as the parameter or an option of a style gives it. */
  Optional<String> id(Console console) {
    Optional<String> option =
        console.styles().requests(console.environment()).stream()
            .flatMap(
                one -> UsageException.reading(() -> one.style().session(one.arguments())).stream())
            .findFirst();
    if (id.isPresent() && option.isPresent()) {
      throw new UsageException(
          "The session is named twice: " + id.get() + " and " + option.get() + ". Name it once.");
    }
    return id.or(() -> option);
  }
}
