package io.millrace.cluster;

/** The version of this engine, from the manifest of its jar. */
final class Version {
  static final String CURRENT =
      java.util.Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
          .orElse("development");

  private Version() {}
}
