package io.millrace.cli.common;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version, from the manifest of this jar. */
public final class CommandVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"Millrace " + number().orElse("development")};
  }

  /** The number of the version; empty if the classes are not in a jar. */
  public static Optional<String> number() {
    return Optional.ofNullable(CommandVersion.class.getPackage().getImplementationVersion());
  }
}
